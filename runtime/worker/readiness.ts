import { halfJitterMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Backend, Readiness } from './backends/contract.ts';

/** The first look again after a moment, for a server that is restarted; models load for minutes, so later ones are rare. */
const PROBE_BASE_MS = 200;
/** A server that is back is used within seconds, and many workers together do not load it. */
const PROBE_CAP_MS = 5_000;
/** A server that does not answer such a small question within this is not ready. */
const PROBE_TIMEOUT_MS = 5_000;

export interface ProbeDeps {
  readonly backend: Backend;
  readonly waitBackendMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

export type Probed =
  | { readonly kind: 'ready' }
  | { readonly kind: 'given-up'; readonly tries: number; readonly detail: string }
  | { readonly kind: 'stopped' };

/** Asks the backend until it is ready, or `waitBackendMs` are over. `onAway` hears of every refusal. */
export async function awaitBackend(deps: ProbeDeps, signal: AbortSignal, onAway: (detail: string) => void): Promise<Probed> {
  const endMs = deps.clock.monotonicMs() + deps.waitBackendMs;
  for (let tries = 1; !signal.aborted; tries++) {
    const readiness = await probeOnce(deps, signal);
    if (signal.aborted) break;
    if (readiness.kind === 'ready') return readiness;
    onAway(readiness.detail);
    const leftMs = endMs - deps.clock.monotonicMs();
    if (leftMs <= 0) return { kind: 'given-up', tries, detail: readiness.detail };
    await deps.clock.sleep(Math.min(leftMs, halfJitterMs(tries - 1, PROBE_BASE_MS, PROBE_CAP_MS, deps.random)), signal);
  }
  return { kind: 'stopped' };
}

async function probeOnce({ backend, clock }: ProbeDeps, signal: AbortSignal): Promise<Readiness> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener('abort', abort);
  // The reason becomes the detail of the refusal.
  const timer = clock.after(PROBE_TIMEOUT_MS, () => controller.abort(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`)));
  try {
    return await backend.isReady(0, controller.signal);
  } finally {
    timer.stop();
    signal.removeEventListener('abort', abort);
  }
}
