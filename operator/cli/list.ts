import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { K8sDeps } from './deps.ts';
import { listTable, statusJson } from './status-text.ts';
import type { ListArguments } from './verb-arguments.ts';

/** Few calls, and answers of a moderate size. */
const PAGE = 500;

/** `kubectl rollout-run list`: the runs of a namespace, or of all. */
export async function list({ client, namespace, clock, out, err }: K8sDeps, { allNamespaces, json }: ListArguments): Promise<ExitCode> {
  const where = allNamespaces ? null : namespace;
  const runs: RolloutRun[] = [];
  let page = await client.list(ROLLOUT_RUN, { namespace: where, limit: PAGE });
  runs.push(...page.items);
  while (page.continueToken !== null) {
    page = await client.list(ROLLOUT_RUN, { namespace: where, limit: PAGE, continueToken: page.continueToken });
    runs.push(...page.items);
  }
  if (json) sayJson(out, runs.map(statusJson));
  else if (runs.length === 0) say(err, [`there is no RolloutRun ${where === null ? 'in any namespace' : `in the namespace ${where}`}`]);
  else say(out, listTable(runs, clock.wallMs(), allNamespaces));
  return EXIT.done;
}
