/**
 * How long a round takes: from the message that asks for more items until the first of them arrives. One request is timed at a time. The
 * estimate is that of TCP's retransmission timer (RFC 6298): the smoothed time and four times its smoothed deviation, which a round
 * seldom exceeds. All times in milliseconds. Pure.
 */
export interface RoundTime {
  /** Null until the first round has been timed. */
  readonly smoothedMs: number | null;
  readonly deviationMs: number;
  /** The request that is being timed: it is answered when so many items have come. Null while none is. */
  readonly timed: { readonly atMs: number; readonly left: number } | null;
}

/** A longer one shows that the coordinator had nothing to give. */
export const MAX_ROUND_MS = 4_000;
const SMOOTHING = 1 / 8;
const DEVIATION_SMOOTHING = 1 / 4;
const DEVIATIONS = 4;

export const NO_ROUND: RoundTime = { smoothedMs: null, deviationMs: 0, timed: null };

/** A message announces room for `capacity` items, where the coordinator knew of room for `before`. */
export function onAsked(time: RoundTime, nowMs: number, before: number, capacity: number): RoundTime {
  // With less room than that the request is never answered.
  const timed = time.timed !== null && time.timed.left <= capacity ? time.timed : null;
  if (timed !== null || capacity <= before) return timed === time.timed ? time : { ...time, timed };
  return { ...time, timed: { atMs: nowMs, left: Math.max(0, before) + 1 } };
}

export function onArrived(time: RoundTime, nowMs: number, items: number): RoundTime {
  if (time.timed === null) return time;
  const left = time.timed.left - items;
  if (left > 0) return { ...time, timed: { ...time.timed, left } };
  return addRound({ ...time, timed: null }, nowMs - time.timed.atMs);
}

/** A new session: nothing of the one before is answered in it. */
export function onNewSession(time: RoundTime): RoundTime {
  return { ...time, timed: null };
}

/** What a round seldom exceeds; 0 while nothing is known. */
export function roundMs({ smoothedMs, deviationMs }: RoundTime): number {
  return smoothedMs === null ? 0 : Math.min(MAX_ROUND_MS, smoothedMs + DEVIATIONS * deviationMs);
}

function addRound(time: RoundTime, tookMs: number): RoundTime {
  if (tookMs > MAX_ROUND_MS) return time;
  if (time.smoothedMs === null) return { ...time, smoothedMs: tookMs, deviationMs: tookMs / 2 };
  const deviationMs = time.deviationMs + DEVIATION_SMOOTHING * (Math.abs(time.smoothedMs - tookMs) - time.deviationMs);
  return { ...time, deviationMs, smoothedMs: time.smoothedMs + SMOOTHING * (tookMs - time.smoothedMs) };
}
