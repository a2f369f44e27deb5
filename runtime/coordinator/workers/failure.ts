/** The failure rule for a silent worker (SPEC.md). All times are milliseconds on the coordinator's monotonic clock. */

export interface FailureTiming {
  readonly heartbeatIntervalMs: number;
  readonly coordinatorFailureTimeoutMs: number;
  readonly clockSkewBudgetMs: number;
}

export type Liveness = 'alive' | 'suspected' | 'failed';

/** When the next beat is due, after one was received, or after this coordinator's boot (L25). */
export function beatDueAtMs(receivedAtMs: number, timing: FailureTiming): number {
  return receivedAtMs + timing.heartbeatIntervalMs;
}

/**
 * failed iff now - dueAt > clockSkewBudget and now - dueAt > coordinatorFailureTimeout; suspected once a beat is late by half the interval
 * that the worker was told, so that a scan every half interval sees a missed beat within two of those of the last one received.
 */
export function liveness(nowMs: number, dueAtMs: number, timing: FailureTiming, toldIntervalMs: number): Liveness {
  const lateMs = nowMs - dueAtMs;
  if (lateMs > timing.clockSkewBudgetMs && lateMs > timing.coordinatorFailureTimeoutMs) return 'failed';
  return lateMs >= 1.5 * toldIntervalMs - timing.heartbeatIntervalMs ? 'suspected' : 'alive';
}

/** The scan runs every half heartbeat. */
export function scanIntervalMs(timing: FailureTiming): number {
  return timing.heartbeatIntervalMs / 2;
}

/**
 * How long the coordinator itself stood still: 0, or, where the gap between two scans exceeds the planned one by more than a
 * heartbeat, the excess. By so much every deadline is moved, since no beat could be heard meanwhile.
 */
export function pauseMs(sinceLastScanMs: number, timing: FailureTiming): number {
  const excessMs = sinceLastScanMs - scanIntervalMs(timing);
  return excessMs > timing.heartbeatIntervalMs ? excessMs : 0;
}
