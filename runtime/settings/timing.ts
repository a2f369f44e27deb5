import type { Timing } from '../model/timing.ts';
import type { Read } from './setting.ts';

/** The times of a run: settings of coordinator.yaml and worker.yaml. */
export const TIMING = {
  'timing.heartbeatInterval': {
    kind: 'interval',
    default: '500ms',
    text: 'how often workers beat; must be below `workerSelfFenceTimeout`',
  },
  'timing.coordinatorFailureTimeout': {
    kind: 'interval',
    default: '5s',
    text: "silence after which a worker is failed; also the lease's time to live",
  },
  'timing.workerSelfFenceTimeout': {
    kind: 'interval',
    default: '4s',
    text: 'silence of the coordinator after which a worker starts nothing new; must be below the one before',
  },
  'timing.clockSkewBudget': { kind: 'duration', default: '250ms', text: 'must be below twice the heartbeat interval' },
  'timing.pollWait': { kind: 'interval', default: '20s', text: 'how long a poll waits for work' },
} as const;

/** Of the coordinator alone, which holds the lease. */
export const LEASE_TIMING = {
  'timing.leaseRenewInterval': {
    kind: 'interval',
    otherwise: 'a third of the failure timeout',
    text: 'how often the lease is renewed',
  },
} as const;

/** `leaseRenewIntervalMs`: null where the file does not give it. */
export function timingOf({ timing }: Read<typeof TIMING>, leaseRenewIntervalMs: number | null): Timing {
  return {
    heartbeatIntervalMs: timing.heartbeatInterval,
    coordinatorFailureTimeoutMs: timing.coordinatorFailureTimeout,
    workerSelfFenceTimeoutMs: timing.workerSelfFenceTimeout,
    clockSkewBudgetMs: timing.clockSkewBudget,
    leaseRenewIntervalMs: leaseRenewIntervalMs ?? defaultRenewIntervalMs(timing.coordinatorFailureTimeout),
    pollWaitMs: timing.pollWait,
  };
}

/** A third of the lease's time to live: two renewals may be lost before the lease is. */
function defaultRenewIntervalMs(coordinatorFailureTimeoutMs: number): number {
  return Math.max(1, Math.floor(coordinatorFailureTimeoutMs / 3));
}
