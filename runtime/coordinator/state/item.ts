import type { Faults, IndexPick, RunningItem } from '../../ledger/contract.ts';
import { type Attempt, type ItemIndex, type ItemRef, isRowOf, type Row, type RowRef, type WorkerId } from '../../model/row.ts';
import type { ItemReturn, Outcome } from '../../model/session.ts';

/** Why items wait: shared by those whose `key` is the same. */
export interface WaitCause {
  readonly key: string;
  readonly reason: string;
}

/**
 * Why an item's row must not be touched just now. recording: between the hand-over to the log and a known settle (L19); returning: a
 * hand-back is under way (L28); claiming: a claim is; restoring: its row is being given back to it (L44); moving: a reassign or a second
 * attempt is; suspect: its answer may be the endpoint's fault (breaker.ts); crashed: whether the end of its worker counts against it is
 * not known yet; rejected: it counts, for the last time (poison.ts).
 */
export type Lock = 'recording' | 'returning' | 'claiming' | 'restoring' | 'moving' | 'suspect' | 'crashed' | 'rejected';

/** One running row of an item, with what is known of it beside the ledger. Only items.ts writes it. */
export interface ActiveClaim {
  readonly row: Row;
  /** Boot of the worker for which the row was claimed; empty where it is not known. */
  readonly bootNonce: string;
  /** Its worker has said that it started it, or kept it when it was recalled: it is never stolen (L32). */
  readonly isStarted: boolean;
  /** When it started, as far as is known, else when it was claimed. */
  readonly sinceMs: number;
  /** The worker for which its own was asked to release it; null for none. */
  readonly recalledFor: WorkerId | null;
  /** A hand-back or reassign of this row is under way: it is not sent to anybody (L28). */
  readonly isLeaving: boolean;
  /** Its worker gives it back while it is being taken from it: it may forget it then. */
  readonly isGivenBack: boolean;
}

/** What came for an item while its lock was closed. */
export type Waiting =
  | { readonly worker: WorkerId; readonly outcome: Outcome }
  | { readonly worker: WorkerId; readonly returned: ItemReturn };

/** The mirror of one item that is handed out and not terminal. Only items.ts writes it. */
export interface Item {
  readonly index: ItemIndex;
  /** One row, or two with a second attempt (L13); none while it is handed back. */
  readonly rows: readonly ActiveClaim[];
  /** The row that was taken from it last; means something only while it has no other (L15). */
  readonly taken: Row;
  /** The highest attempt ever given (L9). */
  readonly lastAttempt: Attempt;
  readonly faults: Faults;
  /** An execution had begun in the row that was taken from it last, and came to nothing: the next claim executes it again. */
  readonly isCutOff: boolean;
  /** A handed-back item is not claimed before this moment of the monotonic clock. */
  readonly dueAtMs: number;
  readonly lock: Lock | null;
  /** How its last attempt ended, for people; null where that was no failure (waits.ts). */
  readonly why: WaitCause | null;
  /** To be judged again when the lock opens (L19). */
  readonly waiting: readonly Waiting[];
}

export function rowsOf({ row, second }: Pick<RunningItem, 'row' | 'second'>): readonly Row[] {
  return second === null ? [row] : [row, second];
}

/** How a handed-back item is claimed. */
export function pickOf({ index, lastAttempt, isCutOff }: Item): IndexPick {
  return isCutOff ? { index, lastAttempt, isRedone: true } : { index, lastAttempt };
}

export function refOf(index: ItemIndex, row: Row): ItemRef {
  return { index, attempt: row.attempt, claimEpoch: row.claimEpoch };
}

/** The running row that is exactly this one. */
export function findRow(item: Item | undefined, row: Row): ActiveClaim | undefined {
  return findClaim(item, row.worker, row);
}

/** The running row that a worker names. Asked several times for each item: it makes no objects. */
export function findClaim(item: Item | undefined, worker: WorkerId, ref: RowRef): ActiveClaim | undefined {
  if (item === undefined) return undefined;
  for (const live of item.rows) if (isRowOf(live.row, worker, ref)) return live;
  return undefined;
}

/** The running row of this worker; it has at most one of an item. */
export function rowOfWorker(item: Item, worker: WorkerId): ActiveClaim | undefined {
  for (const live of item.rows) if (live.row.worker === worker) return live;
  return undefined;
}

export function rowOf(worker: WorkerId, ref: RowRef): Row {
  return { worker, attempt: ref.attempt, claimEpoch: ref.claimEpoch };
}
