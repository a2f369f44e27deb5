/** How many items were done at a moment of the run. */
export interface Sample {
  readonly ms: number;
  readonly done: number;
}

export interface SteadyLoad {
  readonly slots: number;
  readonly items: number;
  readonly meanMs: number;
  /** From the first item that is done until the beginning is over: the items that all slots began with at once have then spread. */
  readonly rampMs: number;
}

/**
 * The share of the slots that were busy, by Little's law: items ended per millisecond, times what an item takes, is how many were being
 * executed. Counted from the end of the ramp until only as many items were left as there are slots twice. Null: there was no such time.
 */
export function busyShare(samples: readonly Sample[], { slots, items, meanMs, rampMs }: SteadyLoad): number | null {
  const beginMs = samples.find(({ done }) => done > 0)?.ms ?? Number.POSITIVE_INFINITY;
  const steady = samples.filter(({ ms, done }) => ms >= beginMs + rampMs && done <= items - 2 * slots);
  const [first, last] = [steady[0], steady.at(-1)];
  if (first === undefined || last === undefined || last.ms <= first.ms) return null;
  return ((last.done - first.done) / (last.ms - first.ms)) * (meanMs / slots);
}
