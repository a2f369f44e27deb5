import { MAX_U32 } from '../base/u32.ts';

/** Position of an item in the input, from 0. */
export type ItemIndex = number;

/** One less than the highest number of 32 bits, so that a cursor behind it still fits. */
export const MAX_INDEX: number = MAX_U32 - 1;

/** Number of an item's claim, from 1; only grows (L9); stored in 32 bits. */
export type Attempt = number;

/** The number that every ledger write carries; only grows, from 0; stored in 32 bits. */
export type Epoch = number;

/** Name of a worker within a run: letters, digits, '-', '_' and '.', at most 64 characters. */
export type WorkerId = string;

const WORKER_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function isWorkerId(text: string): boolean {
  return WORKER_ID.test(text);
}

/** The worker id under which the coordinator itself claims and records items (L15). */
export const COORDINATOR_WORKER: WorkerId = 'coordinator';

/** What names one claim of one item on the wire and in the worker: the worker is the sender. */
export interface ItemRef {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
  readonly claimEpoch: Epoch;
}

/**
 * Numbers a request that overwrites something (L38): the serials of one epoch only grow, and a request that is asked again keeps its own.
 */
export interface Stamp {
  readonly epoch: Epoch;
  readonly serial: number;
}

/** A running row: who may settle the item. */
export interface Row {
  readonly worker: WorkerId;
  readonly attempt: Attempt;
  readonly claimEpoch: Epoch;
}

export function isSameRow(a: Row, b: Row): boolean {
  return isRowOf(a, b.worker, b);
}

/** What names a row to its worker. */
export type RowRef = Pick<Row, 'attempt' | 'claimEpoch'>;

/** Whether it is the row that this worker names. */
export function isRowOf(row: Row, worker: WorkerId, { attempt, claimEpoch }: RowRef): boolean {
  return row.worker === worker && row.attempt === attempt && row.claimEpoch === claimEpoch;
}

/** The reference alone, of what carries one among other things. */
export function plainRef({ index, attempt, claimEpoch }: ItemRef): ItemRef {
  return { index, attempt, claimEpoch };
}

/** `index/attempt`, the key under which a worker holds an item (L34). */
export function refKey(ref: ItemRef): string {
  return `${ref.index}/${ref.attempt}`;
}
