import { halfJitterMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Backend, Readiness } from '../backends/contract.ts';

/** The first look again after a moment, for a server that is restarted; models load for minutes, so later ones are rare. */
const GAP_BASE_MS = 200;
/** A server that is back is used within seconds, and many workers together do not load it. */
const GAP_CAP_MS = 5_000;
/** A server that does not answer such a small question within this is not ready. */
const ANSWER_TIMEOUT_MS = 5_000;

export interface ReadinessDeps {
  readonly backend: Pick<Backend, 'isReady'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks one endpoint of the backend, after the gap that belongs to so many tries before. Null where it was stopped meanwhile. */
export async function askReadiness(deps: ReadinessDeps, endpoint: number, tries: number, signal: AbortSignal): Promise<Readiness | null> {
  if (tries > 0) await deps.clock.sleep(halfJitterMs(tries - 1, GAP_BASE_MS, GAP_CAP_MS, deps.random), signal);
  if (signal.aborted) return null;
  const readiness = await ask(deps, endpoint, signal);
  return signal.aborted ? null : readiness;
}

async function ask({ backend, clock }: ReadinessDeps, endpoint: number, signal: AbortSignal): Promise<Readiness> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener('abort', abort);
  // The reason becomes the detail of the refusal.
  const timer = clock.after(ANSWER_TIMEOUT_MS, () => controller.abort(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)));
  try {
    return await backend.isReady(endpoint, controller.signal);
  } finally {
    timer.stop();
    signal.removeEventListener('abort', abort);
  }
}
