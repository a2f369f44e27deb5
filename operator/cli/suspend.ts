import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { hasEnded } from '../rollout/clocks.ts';
import { awaitRun } from './await-run.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { phaseOf } from './status-text.ts';
import type { SuspendArguments } from './verb-arguments.ts';

/** `kubectl rollout-run suspend`: workers drain, and the coordinator stops; what is recorded is kept. */
export async function suspend(deps: K8sDeps, name: string, args: SuspendArguments): Promise<ExitCode> {
  return set(deps, name, true, args);
}

/** `kubectl rollout-run resume`. */
export async function resume(deps: K8sDeps, name: string, args: SuspendArguments): Promise<ExitCode> {
  return set(deps, name, false, args);
}

async function set(deps: K8sDeps, name: string, isSuspended: boolean, args: SuspendArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  if (hasEnded(run.status))
    throw new RolloutError('USAGE', `${name} is over (${phaseOf(run)}): it cannot be ${isSuspended ? 'suspended' : 'resumed'} any more`);
  const isNews = run.spec.suspend !== isSuspended;
  if (isNews) await patch(deps, run, isSuspended);
  tell(deps, args, name, isSuspended, [
    isNews ? NEWS[isSuspended ? 'suspend' : 'resume'] : `${isSuspended ? 'was' : 'was not'} suspended before`,
  ]);
  if (!args.wait) return EXIT.done;
  const { exit, text } = await awaitRun(deps, name, isSuspended ? 'Suspended' : 'Progressing', args.timeout);
  if (!args.json) say(deps.out, [text]);
  return exit;
}

const NEWS = {
  suspend: 'is being suspended: its workers hand back what they have, and leave; what is recorded is kept',
  resume: 'goes on: its coordinator is started, and then its workers',
} as const;

async function patch({ client, namespace }: K8sDeps, { metadata }: RolloutRun, suspended: boolean): Promise<void> {
  const change = { metadata: { uid: metadata.uid }, spec: { suspend: suspended } };
  await client.patch(ROLLOUT_RUN, { namespace, name: metadata.name }, change, { type: 'merge', fieldManager: 'kubectl-rollout-run' });
}

function tell({ out }: K8sDeps, { json }: SuspendArguments, name: string, suspended: boolean, lines: readonly string[]): void {
  if (json) sayJson(out, { name, suspend: suspended });
  else
    say(
      out,
      lines.map((line) => `${name} ${line}`),
    );
}
