/**
 * How many items run at a time: additive increase, multiplicative decrease (Chiu and Jain, 1989), between 1 and the configured
 * concurrency. The backend's 429 and 503 are the only signal.
 */
export interface Limit {
  readonly max: number;
  readonly size: number;
  /** Successes since the size last changed. */
  readonly successes: number;
  readonly cutAtMs: number | null;
  /** Nothing starts before this moment. */
  readonly quietUntilMs: number;
}

/** The refusals of one burst are one signal: the size is halved at most once in this time. */
export const CUT_WINDOW_MS = 1_000;

/** A backend may ask for hours; items with such delays go back, and the worker looks again after this. */
export const MAX_QUIET_MS = 60_000;

export function fullLimit(max: number): Limit {
  return { max, size: max, successes: 0, cutAtMs: null, quietUntilMs: 0 };
}

/** `quietMs`: what the backend asked for, 0 where it did not say; a worker that is down to one item waits a window all the same. */
export function onThrottled(limit: Limit, nowMs: number, quietMs: number): Limit {
  const waitMs = Math.min(MAX_QUIET_MS, quietMs > 0 || limit.size > 1 ? quietMs : CUT_WINDOW_MS);
  const quiet = { ...limit, successes: 0, quietUntilMs: Math.max(limit.quietUntilMs, nowMs + waitMs) };
  if (limit.cutAtMs !== null && nowMs - limit.cutAtMs < CUT_WINDOW_MS) return quiet;
  return { ...quiet, size: Math.max(1, Math.floor(limit.size / 2)), cutAtMs: nowMs };
}

/** One more at a time after as many successes as run at a time: about one step per round trip. */
export function onSucceeded(limit: Limit): Limit {
  if (limit.size >= limit.max) return limit;
  if (limit.successes + 1 < limit.size) return { ...limit, successes: limit.successes + 1 };
  return { ...limit, size: limit.size + 1, successes: 0 };
}

export function isQuiet(limit: Limit, nowMs: number): boolean {
  return nowMs < limit.quietUntilMs;
}
