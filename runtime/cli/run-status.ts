/** Where a run stands, as the verbs show it: from the live coordinator, or from the store when none answers. */
export interface RunStatus {
  readonly runId: string;
  readonly state: 'running' | 'paused' | 'completed';
  /** Why it is paused; else empty. */
  readonly reason: string;
  readonly epoch: number;
  /** Items indexed so far; their number once `isIndexed`. */
  readonly items: number;
  readonly isIndexed: boolean;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  readonly handedBack: number;
  readonly workers: readonly WorkerStatus[];
  /** Whether a coordinator answered. */
  readonly isLive: boolean;
}

export interface WorkerStatus {
  readonly workerId: string;
  readonly state: string;
  readonly running: number;
  readonly concurrency: number;
  readonly sinceBeatMs: number;
}

export function settledItems(status: Pick<RunStatus, 'done' | 'failed'>): number {
  return status.done + status.failed;
}

export function openItems(status: Pick<RunStatus, 'items' | 'done' | 'failed'>): number {
  return Math.max(0, status.items - settledItems(status));
}
