import type { Timing } from '../../runtime/model/timing.ts';

/** What a settings file without `timing` means. */
export const DEFAULT_TIMING: Timing = {
  heartbeatIntervalMs: 500,
  coordinatorFailureTimeoutMs: 5_000,
  workerSelfFenceTimeoutMs: 4_000,
  clockSkewBudgetMs: 250,
  leaseRenewIntervalMs: 1_666,
  pollWaitMs: 20_000,
};
