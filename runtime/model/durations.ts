/** How long items took lately: a ring of the last durations, in milliseconds. */
export interface Durations {
  readonly ms: number[];
  next: number;
}

/** Enough for a steady median, few enough to follow a change of the work. */
const MAX_DURATIONS = 128;

export function noDurations(): Durations {
  return { ms: [], next: 0 };
}

export function addDuration(durations: Durations, ms: number): void {
  durations.ms[durations.next] = ms;
  durations.next = (durations.next + 1) % MAX_DURATIONS;
}

/** Null where nothing has been seen yet. */
export function medianMs({ ms }: Durations): number | null {
  return [...ms].sort((a, b) => a - b)[Math.floor(ms.length / 2)] ?? null;
}

/**
 * How much longer an item is expected to run that has run for `elapsedMs`: by the median of those that took longer. Null where
 * none has: nothing is known of one like it.
 */
export function expectedRestMs({ ms }: Durations, elapsedMs: number): number | null {
  const longer = ms.filter((one) => one > elapsedMs).sort((a, b) => a - b);
  const median = longer[Math.floor((longer.length - 1) / 2)];
  return median === undefined ? null : median - elapsedMs;
}
