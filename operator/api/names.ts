/** The words of the API, each once: users, `kubectl wait` and dashboards rely on them. */

export const GROUP = 'rollout.run';
export const VERSION = 'v1alpha1';
export const API_VERSION: string = `${GROUP}/${VERSION}`;
export const KIND = 'RolloutRun';
export const PLURAL = 'rolloutruns';

/** Owners of fields in server-side apply. */
export const FIELD_MANAGER = 'rollout-operator';
export const STATUS_FIELD_MANAGER = 'rollout-operator-status';

/** What a run's `spec.managedBy` says, if anything, where this operator works on it. */
export const MANAGED_BY: string = `${GROUP}/operator`;

/** Keeps the ConfigMap that says where a run's Redis keys are until the operator has retired the run; never on a run itself. */
export const FINALIZER: string = `${GROUP}/redis-keys`;

export const LABEL = {
  /** The name of the run that a child belongs to. */
  run: 'rollout.run/run',
  /** Which part of the run a child is: coordinator, worker or reader. */
  component: 'app.kubernetes.io/component',
  /** Of a worker's pod: its place in the run's parallelism. */
  slot: 'rollout.run/slot',
  /** Of a worker's pod: how often its place had been filled before. */
  incarnation: 'rollout.run/incarnation',
  /** Of a worker's pod: a digest of what it was made from. */
  template: 'rollout.run/template',
} as const;

export const ANNOTATION = {
  /** Of a pod template: a digest of the settings that its processes read at their start. */
  configHash: 'rollout.run/config-hash',
  /** Of a child: a digest of what it was made from. One that is made from the same again is left alone. */
  desired: 'rollout.run/desired',
  /** Of a worker's pod: the nodes that it keeps away from, with commas between them. */
  avoids: 'rollout.run/avoids',
} as const;

/** Types of `status.conditions`. */
export const CONDITION = {
  inputReady: 'InputReady',
  coordinatorAvailable: 'CoordinatorAvailable',
  progressing: 'Progressing',
  draining: 'Draining',
  suspended: 'Suspended',
  /** Of runs with certificates of cert-manager. */
  certificatesReady: 'CertificatesReady',
  /** Of runs with spec.workers.maxMissing. */
  workersReady: 'WorkersReady',
  complete: 'Complete',
  failed: 'Failed',
  /** False where the operator may not watch nodes, so that it hears of their end only by their pods; absent where it always could. */
  nodeSignals: 'NodeSignalsAvailable',
} as const;
export type ConditionType = (typeof CONDITION)[keyof typeof CONDITION];

/** Words of `reason` in conditions and Events. */
export const REASON = {
  // InputReady
  inputFound: 'InputFound',
  inputNotFound: 'InputNotFound',
  inputInvalid: 'InputInvalid',
  // CoordinatorAvailable
  leaseHeld: 'LeaseHeld',
  coordinatorStarting: 'CoordinatorStarting',
  storeUnavailable: 'StoreUnavailable',
  resultsFull: 'ResultsFull',
  // Progressing
  itemsRunning: 'ItemsRunning',
  waitingForCoordinator: 'WaitingForCoordinator',
  waitingForWorkers: 'WaitingForWorkers',
  stalled: 'Stalled',
  paused: 'Paused',
  // CertificatesReady
  certificatesIssued: 'CertificatesIssued',
  certificatesPending: 'CertificatesPending',
  certManagerMissing: 'CertManagerMissing',
  certManagerDisabled: 'CertManagerDisabled',
  // WorkersReady
  enoughWorkers: 'EnoughWorkers',
  workersMissing: 'WorkersMissing',
  // Draining
  noneDraining: 'NoneDraining',
  workersDraining: 'WorkersDraining',
  // Suspended
  suspending: 'Suspending',
  suspended: 'Suspended',
  resumed: 'Resumed',
  // Complete
  allItemsDone: 'AllItemsDone',
  completedWithFailures: 'CompletedWithFailures',
  // Failed
  tooManyFailedItems: 'TooManyFailedItems',
  tooManyMissingWorkers: 'TooManyMissingWorkers',
  deadlineExceeded: 'DeadlineExceeded',
  coordinatorFailed: 'CoordinatorFailed',
  // NodeSignalsAvailable
  nodesWatched: 'NodesWatched',
  nodesForbidden: 'NodesForbidden',
  // What could not be done, in Events
  childRefused: 'ChildRefused',
  redisKeysKept: 'RedisKeysKept',
  // Conditions that do not hold while the run goes on, and those that do not any more
  notEnded: 'NotEnded',
  ended: 'Ended',
} as const;
export type Reason = (typeof REASON)[keyof typeof REASON];

/** Words of `status.phase`, which people read: conditions are the truth. */
export const PHASE = {
  pending: 'Pending',
  running: 'Running',
  draining: 'Draining',
  suspended: 'Suspended',
  complete: 'Complete',
  failed: 'Failed',
} as const;
export type Phase = (typeof PHASE)[keyof typeof PHASE];
