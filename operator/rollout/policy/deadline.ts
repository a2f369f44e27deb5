/** What a run's clocks go by. Times are those of the wall clock, since an operator that is started again has no other. */
export interface RunTimes {
  readonly startTimeMs: number | null;
  /** Null while it is not suspended. */
  readonly suspendedSinceMs: number | null;
  /** Of suspensions that are over. */
  readonly suspendedSeconds: number;
  readonly activeDeadlineSeconds: number | null;
}

/** Time left until spec.activeDeadlineSeconds, which does not run while the run is suspended; Infinity where there is none. */
export function deadlineLeftMs(
  { startTimeMs, suspendedSinceMs, suspendedSeconds, activeDeadlineSeconds }: RunTimes,
  nowMs: number,
): number {
  if (activeDeadlineSeconds === null || startTimeMs === null) return Number.POSITIVE_INFINITY;
  const activeMs = (suspendedSinceMs ?? nowMs) - startTimeMs - suspendedSeconds * 1_000;
  return activeDeadlineSeconds * 1_000 - activeMs;
}

/** Time until a finished run is deleted; Infinity where it is kept. */
export function ttlLeftMs(completionTimeMs: number, ttlSeconds: number | null, nowMs: number): number {
  return ttlSeconds === null ? Number.POSITIVE_INFINITY : completionTimeMs + ttlSeconds * 1_000 - nowMs;
}
