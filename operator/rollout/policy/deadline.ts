import type { RunClocks } from '../clocks.ts';

interface LimitedClocks extends RunClocks {
  readonly activeDeadlineSeconds: number | null;
}

/** Time left until spec.activeDeadlineSeconds, which does not run while the run is suspended; Infinity where there is none. */
export function deadlineLeftMs(clocks: LimitedClocks, nowMs: number): number {
  const { startTimeMs, suspendedSinceMs, suspendedSeconds, activeDeadlineSeconds } = clocks;
  if (activeDeadlineSeconds === null || startTimeMs === null) return Number.POSITIVE_INFINITY;
  const activeMs = (suspendedSinceMs ?? nowMs) - startTimeMs - suspendedSeconds * 1_000;
  return activeDeadlineSeconds * 1_000 - activeMs;
}

/** Time until a finished run is deleted; Infinity where it is kept. */
export function ttlLeftMs(completionTimeMs: number, ttlSeconds: number | null, nowMs: number): number {
  return ttlSeconds === null ? Number.POSITIVE_INFINITY : completionTimeMs + ttlSeconds * 1_000 - nowMs;
}
