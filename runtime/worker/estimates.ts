/** How long items take on this worker, as far as has been seen: a ring of the last durations, in milliseconds. */
export interface Estimates {
  readonly ms: number[];
  next: number;
}

/** Enough for a steady median, few enough to follow a change of the work. */
const MAX_OBSERVED = 128;

export function noEstimates(): Estimates {
  return { ms: [], next: 0 };
}

export function observe(estimates: Estimates, durationMs: number): void {
  estimates.ms[estimates.next] = durationMs;
  estimates.next = (estimates.next + 1) % MAX_OBSERVED;
}

/**
 * How much longer an item is expected to run that has run for `elapsedMs`: by the median of those that took longer. Null where
 * none has: nothing is known of one like it.
 */
export function expectedRestMs({ ms }: Estimates, elapsedMs: number): number | null {
  const longer = ms.filter((one) => one > elapsedMs).sort((a, b) => a - b);
  const median = longer[Math.floor((longer.length - 1) / 2)];
  return median === undefined ? null : median - elapsedMs;
}
