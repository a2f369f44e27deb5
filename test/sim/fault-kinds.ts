/**
 * What may go wrong. `most` is the highest rate that a world draws: of each message, call, write or execution, or of each process and
 * half second (`perTick`).
 */
export interface FaultTerms {
  readonly most: number;
  readonly perTick?: true;
}

export type FaultKind =
  | 'request-lost'
  | 'reply-lost'
  | 'request-twice'
  | 'message-late'
  | 'requests-cut'
  | 'replies-cut'
  | 'link-refused'
  | 'store-failed-before'
  | 'store-failed-after'
  | 'store-failed-late'
  | 'store-silent'
  | 'store-slow'
  | 'store-twice'
  | 'store-away'
  | 'disk-full'
  | 'sync-failed'
  | 'write-slow'
  | 'power-lost'
  | 'power-cut'
  | 'worker-disk-full'
  | 'worker-sync-failed'
  | 'worker-write-slow'
  | 'worker-power-lost'
  | 'worker-power-cut'
  | 'coordinator-killed'
  | 'coordinator-stopped'
  | 'coordinator-suspended'
  | 'coordinator-interrupted'
  | 'coordinator-cut'
  | 'worker-killed'
  | 'worker-stopped'
  | 'worker-blocked'
  | 'worker-drained'
  | 'worker-twin'
  | 'worker-hinted'
  | 'all-coordinators-killed'
  | 'everything-killed'
  | 'wall-clock-stepped'
  | 'answer-failed'
  | 'answer-throttled'
  | 'answer-refused'
  | 'answer-unavailable'
  | 'answer-reset'
  | 'answer-never'
  | 'answer-kills-worker'
  | 'backend-away'
  | 'answer-without-quota';

export const FAULTS: Readonly<Record<FaultKind, FaultTerms>> = {
  // The network between a worker and a coordinator.
  'request-lost': { most: 0.08 },
  'reply-lost': { most: 0.08 },
  'request-twice': { most: 0.1 },
  'message-late': { most: 0.1 },
  'requests-cut': { most: 0.02, perTick: true },
  'replies-cut': { most: 0.02, perTick: true },
  'link-refused': { most: 0.02, perTick: true },
  // The store, as a coordinator sees it.
  'store-failed-before': { most: 0.06 },
  'store-failed-after': { most: 0.06 },
  'store-failed-late': { most: 0.03 },
  'store-silent': { most: 0.01 },
  'store-slow': { most: 0.03 },
  'store-twice': { most: 0.05 },
  'store-away': { most: 0.01, perTick: true },
  // The disk under the result log.
  'disk-full': { most: 0.008, perTick: true },
  'sync-failed': { most: 0.01 },
  'write-slow': { most: 0.05 },
  // At the death of a process, and in the middle of a call of one.
  'power-lost': { most: 1 },
  'power-cut': { most: 0.01 },
  // The same at the disk under a worker's outbox.
  'worker-disk-full': { most: 0.01, perTick: true },
  'worker-sync-failed': { most: 0.02 },
  'worker-write-slow': { most: 0.05 },
  'worker-power-lost': { most: 1 },
  'worker-power-cut': { most: 0.02 },
  // Processes.
  'coordinator-killed': { most: 0.04, perTick: true },
  'coordinator-stopped': { most: 0.03, perTick: true },
  'coordinator-suspended': { most: 0.02, perTick: true },
  'coordinator-interrupted': { most: 0.02, perTick: true },
  'coordinator-cut': { most: 0.02, perTick: true },
  'worker-killed': { most: 0.03, perTick: true },
  'worker-stopped': { most: 0.03, perTick: true },
  'worker-blocked': { most: 0.03, perTick: true },
  'worker-drained': { most: 0.02, perTick: true },
  'worker-twin': { most: 0.008, perTick: true },
  'worker-hinted': { most: 0.03, perTick: true },
  'all-coordinators-killed': { most: 0.01, perTick: true },
  'everything-killed': { most: 0.005, perTick: true },
  'wall-clock-stepped': { most: 0.2, perTick: true },
  // What the items meet.
  'answer-failed': { most: 0.2 },
  'answer-throttled': { most: 0.15 },
  'answer-refused': { most: 0.15 },
  'answer-unavailable': { most: 0.05 },
  'answer-reset': { most: 0.1 },
  'answer-never': { most: 0.02 },
  'answer-kills-worker': { most: 0.02 },
  'backend-away': { most: 0.01, perTick: true },
  // The run pauses at the first one.
  'answer-without-quota': { most: 0.01 },
};

export const FAULT_KINDS: readonly FaultKind[] = Object.keys(FAULTS) as FaultKind[];

/** Those that leave the workers, their links and their items alone: with nothing else, no item is executed twice (L37). */
export const OF_COORDINATORS: readonly FaultKind[] = [
  'store-failed-before',
  'store-failed-after',
  'store-failed-late',
  'coordinator-killed',
  'coordinator-stopped',
  'coordinator-suspended',
  'wall-clock-stepped',
  'coordinator-interrupted',
  'coordinator-cut',
  'all-coordinators-killed',
  'power-lost',
  'power-cut',
  'sync-failed',
  'write-slow',
];
