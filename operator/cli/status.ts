import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { hasEnded } from '../rollout/clocks.ts';
import { stoppable } from './cluster.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { looksAt } from './follow-run.ts';
import { createRunView } from './run-view.ts';
import { statusJson, statusPage } from './status-text.ts';
import type { StatusArguments } from './verb-arguments.ts';

/** `kubectl rollout-run status`: where a run stands, and what is not as it should be. */
export async function status(deps: K8sDeps, name: string, args: StatusArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  if (args.watch) return watch(deps, name, args.json);
  if (args.json) sayJson(deps.out, statusJson(run));
  else say(deps.out, statusPage(run, deps.clock.wallMs(), deps.isTerminal));
  return EXIT.done;
}

/** Until the run is over or gone, or Ctrl-C. */
async function watch(deps: K8sDeps, name: string, isJson: boolean): Promise<ExitCode> {
  const stop = new AbortController();
  const release = deps.onInterrupt(() => stop.abort());
  const view = createRunView(deps, isJson);
  try {
    for await (const run of looksAt(stoppable(deps, stop.signal), name, stop.signal)) {
      if (run === null) {
        view.notice(`${name} is gone`);
        return EXIT.done;
      }
      view.show(run);
      if (hasEnded(run.status)) return EXIT.done;
    }
    return EXIT.done;
  } finally {
    view.stop();
    release();
  }
}
