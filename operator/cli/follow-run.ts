import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { K8sDeps } from './deps.ts';
import { isPassing } from './refusal.ts';

/** The operator writes what it has counted at most every five seconds, and the rest at once. */
const LOOK_MS = 1_000;
/** A server that is restarted, or a network that changes, is back by then. */
const PATIENCE_MS = 60_000;

/**
 * Looks at a run again and again: null where it is gone. Ends when the signal aborts. A server that is away is waited for, and then its
 * error is thrown.
 */
export async function* looksAt(deps: K8sDeps, name: string, signal: AbortSignal): AsyncGenerator<RolloutRun | null, void, undefined> {
  const { client, namespace, clock, err } = deps;
  let answeredMs = clock.monotonicMs();
  let isAway = false;
  while (!signal.aborted) {
    try {
      const run = await client.get(ROLLOUT_RUN, { namespace, name });
      answeredMs = clock.monotonicMs();
      isAway = false;
      yield run;
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error) || clock.monotonicMs() - answeredMs > PATIENCE_MS) throw error;
      if (!isAway) err.write('the API server does not answer: looking again\n');
      isAway = true;
    }
    await clock.sleep(LOOK_MS, signal);
  }
}
