import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { isConfirmed } from './ask.ts';
import { awaitRun } from './await-run.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { lossText } from './loss-text.ts';
import type { CancelArguments } from './verb-arguments.ts';

/** Pods have a minute to end, and the keys on a server are removed meanwhile. */
const GONE_WITHIN = '5m';

/** `kubectl rollout-run cancel`: deletes a run, after it has said what is lost with it. */
export async function cancel(deps: K8sDeps, name: string, args: CancelArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  say(deps.err, lossText(run));
  if (!args.yes && !(await isMeant(deps, name))) {
    say(deps.err, ['Nothing was deleted.']);
    return EXIT.usage;
  }
  await remove(deps, run);
  tell(deps, args, name, 'deleting');
  if (!args.wait) return EXIT.done;
  const { exit } = await awaitRun(deps, name, 'Deleted', GONE_WITHIN);
  if (exit === EXIT.done) tell(deps, args, name, 'deleted');
  return exit;
}

async function isMeant(deps: K8sDeps, name: string): Promise<boolean> {
  if (!deps.canAsk) throw new RolloutError('USAGE', 'nobody can be asked here: add --yes where it may be deleted');
  return isConfirmed(deps, `Delete ${name}?`);
}

/** Only this very run, and not one that was created under its name meanwhile. */
async function remove({ client, namespace }: K8sDeps, { metadata }: RolloutRun): Promise<void> {
  await client.delete(ROLLOUT_RUN, { namespace, name: metadata.name }, { uid: metadata.uid, propagation: 'Background' });
}

const TEXTS = { deleting: 'is being deleted', deleted: 'is gone' } as const;

function tell({ out }: K8sDeps, { json }: CancelArguments, name: string, state: keyof typeof TEXTS): void {
  if (json) sayJson(out, { name, state });
  else say(out, [`${name} ${TEXTS[state]}`]);
}
