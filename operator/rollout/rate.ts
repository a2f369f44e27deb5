/** How many items are recorded in a second, of late. */
export interface RateSample {
  readonly terminal: number;
  readonly atMs: number;
  /** Null before the second sample. */
  readonly perSecond: number | null;
}

/** So long it takes until a change has passed into the rate by two thirds. */
const SMOOTHING_MS = 30_000;
/** Two answers that are closer together say nothing. */
const LEAST_MS = 500;

/** An exponentially weighted mean, whose weight follows the time between two samples. `nowMs`: monotonic. */
export function nextRate(before: RateSample | null, terminal: number, nowMs: number): RateSample {
  if (before === null || terminal < before.terminal) return { terminal, atMs: nowMs, perSecond: null };
  const sinceMs = nowMs - before.atMs;
  if (sinceMs < LEAST_MS) return before;
  const now = ((terminal - before.terminal) * 1_000) / sinceMs;
  const share = before.perSecond === null ? 1 : 1 - Math.exp(-sinceMs / SMOOTHING_MS);
  return { terminal, atMs: nowMs, perSecond: (before.perSecond ?? 0) * (1 - share) + now * share };
}
