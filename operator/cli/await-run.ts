import { mustGet } from '../../runtime/base/assert.ts';
import { parseDurationMs } from '../../runtime/base/config/quantity.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT } from '../../runtime/base/exit.ts';
import { stoppable } from './cluster.ts';
import type { K8sDeps } from './deps.ts';
import { looksAt } from './follow-run.ts';
import { type Goal, type WaitEnd, waitEnd } from './goal.ts';

/** Waits until the goal is reached or cannot be reached any more. `timeout`: a duration; undefined: for ever. */
export async function awaitRun(deps: K8sDeps, name: string, goal: Goal, timeout: string | undefined): Promise<WaitEnd> {
  const stop = new AbortController();
  let isInterrupted = false;
  const release = deps.onInterrupt(() => {
    isInterrupted = true;
    stop.abort();
  });
  const timer =
    timeout === undefined ? null : deps.clock.after(mustGet(parseDurationMs(timeout), 'a checked duration'), () => stop.abort());
  try {
    for await (const run of looksAt(stoppable(deps, stop.signal), name, stop.signal)) {
      const end = waitEnd(run, goal, name);
      if (end !== null) return end;
    }
    if (isInterrupted) return { exit: EXIT.interrupted, text: `${name} goes on` };
    throw new RolloutError(
      'COORDINATOR_UNREACHABLE',
      `${name} is not ${goal} after ${timeout}: \`kubectl rollout-run explain ${name} -n ${deps.namespace}\` says what may be in its way`,
    );
  } finally {
    timer?.stop();
    release();
  }
}
