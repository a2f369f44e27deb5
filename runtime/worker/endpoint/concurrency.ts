/**
 * How many items run at a time on one endpoint, between 1 and the configured concurrency: multiplicative decrease where the endpoint
 * throttles or lets requests time out, and increase as in TCP's slow start (RFC 5681): by multiples up to what was carried before,
 * by ones beyond. Never more than the endpoint is known to carry (throughput.ts). Pure.
 */
export interface Limit {
  readonly max: number;
  readonly size: number;
  /** What was carried before the last cut. */
  readonly carriedBefore: number;
  /** Successes since the size last changed. */
  readonly successes: number;
  /** Whether anything has succeeded since the last cut: cuts without a success in between belong to one episode. */
  readonly hasSucceeded: boolean;
  readonly cutAtMs: number | null;
  /** Nothing starts before this moment. */
  readonly quietUntilMs: number;
}

/** The refusals of one burst are one signal: the size is halved at most once in this time. */
export const CUT_WINDOW_MS = 1_000;

/** A backend may ask for hours; items with such delays go back, and the worker looks again after this at the latest. */
export const MAX_QUIET_MS = 60_000;

/** Each success makes room for so many more, which is four times as many with each round of answers. */
const STEP_UP = 3;

/** Nothing is known of an endpoint at the start: at most this many requests are lost if it takes one at a time and is slow. */
const LEAST_FIRST = 8;
/** More at once where even an endpoint that takes one item at a time, for so long, would answer all before they time out. */
const FIRST_ITEM_MS = 8_000;

export function newLimit(max: number, timeoutMs: number): Limit {
  const size = Math.min(max, Math.max(LEAST_FIRST, Math.floor(timeoutMs / FIRST_ITEM_MS)));
  return { max, size, carriedBefore: max, successes: 0, hasSucceeded: false, cutAtMs: null, quietUntilMs: 0 };
}

/**
 * `quietMs`: what the backend asked for, 0 where it did not say; a worker that is down to one item waits a window all the same. What is
 * longer than the worker waits may concern one item alone: the gaps grow with `barrenMs`, the time in which there were only refusals.
 */
export function onThrottled(limit: Limit, nowMs: number, quietMs: number, barrenMs: number): Limit {
  const askedMs = quietMs > MAX_QUIET_MS ? Math.max(CUT_WINDOW_MS, barrenMs) : quietMs;
  const waitMs = Math.min(MAX_QUIET_MS, askedMs > 0 || limit.size > 1 ? askedMs : CUT_WINDOW_MS);
  const quiet = { ...limit, quietUntilMs: Math.max(limit.quietUntilMs, nowMs + waitMs) };
  return cut(quiet, nowMs, Math.floor(limit.size / 2));
}

/** Requests time out because more are in flight than the endpoint carries; null where it has answered nothing yet. */
export function onOverload(limit: Limit, nowMs: number, carried: number | null): Limit {
  const half = Math.floor(limit.size / 2);
  return cut(limit, nowMs, carried === null ? half : Math.min(half, Math.floor(carried)));
}

/** The endpoint is left alone, and begins with one item afterwards. That it failed says nothing about how much it carries. */
export function onOpened(limit: Limit): Limit {
  return { ...limit, carriedBefore: Math.max(limit.size, limit.carriedBefore), size: 1, successes: 0, hasSucceeded: false };
}

export function onSucceeded(limit: Limit, carried: number | null): Limit {
  const room = Math.min(limit.max, carried === null ? limit.max : Math.floor(carried));
  if (limit.hasSucceeded && limit.size >= room) return limit;
  const next = { ...limit, hasSucceeded: true };
  if (limit.size >= room) return next;
  if (limit.size < limit.carriedBefore) {
    return { ...next, size: Math.min(room, limit.carriedBefore, limit.size + STEP_UP), successes: 0 };
  }
  if (limit.successes + 1 < limit.size) return { ...next, successes: limit.successes + 1 };
  return { ...next, size: limit.size + 1, successes: 0 };
}

export function isQuiet(limit: Limit, nowMs: number): boolean {
  return nowMs < limit.quietUntilMs;
}

function cut(limit: Limit, nowMs: number, size: number): Limit {
  const calm = { ...limit, successes: 0 };
  if (limit.cutAtMs !== null && nowMs - limit.cutAtMs < CUT_WINDOW_MS) return calm;
  return { ...calm, ...remembered(limit), size: Math.max(1, size), hasSucceeded: false, cutAtMs: nowMs };
}

/**
 * What was carried before a cut: the size, if it had got beyond what was known; half of it, if it was still on the way up to that
 * and was refused there; as before, if nothing has succeeded since the cut before.
 */
function remembered({ size, carriedBefore, hasSucceeded }: Limit): Pick<Limit, 'carriedBefore'> {
  if (!hasSucceeded) return { carriedBefore: Math.max(size, carriedBefore) };
  return { carriedBefore: size >= carriedBefore ? size : Math.max(1, Math.floor(size / 2)) };
}
