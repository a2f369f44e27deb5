import type { ResultsRoom } from './results-kind.ts';
import type { Epoch, WorkerId } from './row.ts';
import type { RunState } from './run.ts';
import type { WorkerState } from './session.ts';

/** Where a run stands, as `rollout status` is told. */
export interface RunStatus {
  readonly runId: string;
  readonly state: RunState;
  readonly epoch: Epoch;
  /** Lines indexed so far; the number of items once `isIndexed`. */
  readonly items: number;
  readonly isIndexed: boolean;
  readonly done: number;
  readonly failed: number;
  /** Handed out: executed by a worker, or held ready by it. */
  readonly running: number;
  /** Those of them that no worker has begun, as far as workers have told. */
  readonly prefetched: number;
  /** Items that were handed out before and wait for their next claim: after a failure, a throttling, or unstarted by a drain. */
  readonly handedBack: number;
  /** How often an item whose execution had begun, as far as workers had told, and came to nothing or failed, was handed out again. */
  readonly redone: number;
  readonly workers: readonly WorkerStatus[];
  /** Why items wait or are tried again, the commonest reason first; empty where none does. */
  readonly waits: readonly WaitReason[];
  /** Null while items become terminal as quickly as items of this run do. */
  readonly stall: Stall | null;
  /** Of results in Redis; null where they are in a directory. */
  readonly results: ResultsRoom | null;
}

/** Items that are not terminal and whose last attempt ended alike. */
export interface WaitReason {
  /** The code, and what the server said, in one line. */
  readonly reason: string;
  readonly items: number;
  /** Until the first of those that wait may be tried again; null where all of them run again. */
  readonly nextTryMs: number | null;
}

/** Nothing has become terminal for long. */
export interface Stall {
  readonly sinceMs: number;
  /** What stands in the way, in one line. */
  readonly why: string;
}

export interface WorkerStatus {
  readonly workerId: WorkerId;
  readonly state: WorkerState | 'suspected';
  readonly running: number;
  readonly concurrency: number;
  readonly sinceBeatMs: number;
  /** Why it takes no items, in its own words; empty where it takes them. */
  readonly detail: string;
}

export type Role = 'passive' | 'primary';

/** What every coordinator says of itself, passive ones included. */
export interface CoordinatorInfo {
  /** The epoch that this coordinator holds, or the last one it has seen. */
  readonly epoch: Epoch;
  readonly role: Role;
  /** host:port of the primary; empty where none is known. */
  readonly primaryAddress: string;
}
