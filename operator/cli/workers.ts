import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { podsOf } from './run-pods.ts';
import { toldWorkers } from './told-workers.ts';
import type { JsonArguments } from './verb-arguments.ts';
import { workerRows, workerTable } from './worker-rows.ts';

/** `kubectl rollout-run workers`: the workers of a run, by their pods and by what the coordinator says of them. */
export async function workers(deps: K8sDeps, name: string, { json }: JsonArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  const [pods, told] = await Promise.all([podsOf(deps, name, 'worker'), toldWorkers(deps, run)]);
  const rows = workerRows(pods, told);
  if (json) sayJson(deps.out, rows);
  else if (rows.length === 0)
    say(deps.err, [`${name} has no workers now: \`kubectl rollout-run explain ${name} -n ${deps.namespace}\` says why`]);
  else {
    say(deps.out, workerTable(rows, deps.clock.wallMs()));
    if (told === null) say(deps.err, ['the coordinator could not be asked, so STATE and ITEMS are not known']);
  }
  return EXIT.done;
}
