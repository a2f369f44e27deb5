/**
 * When a reason that comes again and again is logged: at once where it is new, then with growing gaps. Several reasons may alternate,
 * as those of two coordinators do, so each has a gap of its own. Pure.
 */

/** The first repetition that is logged comes after this. */
const FIRST_GAP_MS = 5_000;
/** A lasting trouble is seen at the end of any log, and does not fill it. */
const MAX_GAP_MS = 60_000;
/** More reasons than a list of coordinators has; beyond it the one that was logged longest ago is new again. */
export const MAX_REASONS = 32;

export interface ThrottledReason {
  readonly nextAtMs: number;
  readonly gapMs: number;
  /** How often it came unlogged since it was logged last. */
  readonly unlogged: number;
}

/** By reason, in the order in which they were logged last. */
export type LogThrottle = ReadonlyMap<string, ThrottledReason>;

export const NEW_LOG_THROTTLE: LogThrottle = new Map();

/** `isDue`: it is to be logged now; `unlogged`: how often it came since it was logged last. */
export function onReason(
  throttle: LogThrottle,
  nowMs: number,
  reason: string,
): { readonly throttle: LogThrottle; readonly isDue: boolean; readonly unlogged: number } {
  const known = throttle.get(reason);
  const unlogged = known?.unlogged ?? 0;
  const next = new Map(throttle);
  if (known !== undefined && nowMs < known.nextAtMs) {
    return { throttle: next.set(reason, { ...known, unlogged: unlogged + 1 }), isDue: false, unlogged };
  }
  const gapMs = known === undefined ? FIRST_GAP_MS : Math.min(MAX_GAP_MS, known.gapMs * 2);
  next.delete(reason);
  next.set(reason, { nextAtMs: nowMs + gapMs, gapMs, unlogged: 0 });
  for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - MAX_REASONS))) next.delete(oldest);
  return { throttle: next, isDue: true, unlogged };
}
