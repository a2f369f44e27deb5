import type { Lease } from '../model/lease.ts';
import type { Attempt, Epoch, ItemIndex, Stamp, WorkerId } from '../model/row.ts';
import type { RunState } from '../model/run.ts';
import type { EpochTally, Tally } from '../model/tally.ts';
import type { HandedBackItem, Place, RunningItem, WorkerInfo } from './contract.ts';

/**
 * What a ledger consists of, apart from how it is kept. A decision of the rulebook (transition/) reads `Rows` and answers with
 * `Writes`; memory and embedded only differ in where the rows lie.
 */
export interface Rows {
  lease(): Lease | null;
  /** Null before the first coordinator won (L1). */
  head(): Head | null;
  state(): RunState;
  /** The request that wrote the state last; null where none did (L38). */
  stateBy(): Stamp | null;
  place(): Place | null;
  /** The item, where it is running or handed back. */
  inFlight(index: ItemIndex): InFlight | null;
  /** A page of a bitmap (bitmap.ts); null stands for all zero. */
  page(bit: Bit, page: number): Uint8Array | null;
  worker(worker: WorkerId): WorkerRow | null;
  /** Null where the epoch has accepted nothing (L39). */
  tally(epoch: Epoch): Tally | null;
}

/** Also what `scan`, export and verify need: a walk over everything. */
export interface AllRows extends Rows {
  /** Ascending. */
  everyInFlight(): Iterable<{ readonly index: ItemIndex; readonly item: InFlight }>;
  /** Pages of a bitmap, ascending. */
  everyPage(bit: Bit): Iterable<{ readonly page: number; readonly bytes: Uint8Array }>;
  everyWorker(): Iterable<{ readonly worker: WorkerId; readonly row: WorkerRow }>;
  /** Ascending. */
  everyTally(): readonly EpochTally[];
}

/** The one small row that nearly every verb reads and writes. */
export interface Head {
  readonly epoch: Epoch;
  /** First index never handed out. */
  readonly cursor: ItemIndex;
  readonly running: number;
  readonly handedBack: number;
  readonly done: number;
  readonly failed: number;
  /** Worker numbers given so far; the next worker gets this + 1, and none is given twice (L9). */
  readonly workerNumbers: number;
  /** The highest attempt that any item was ever given (L9): a reopened item gets the one after it (L45). */
  readonly highestAttempt: Attempt;
  /** How often an item whose execution had begun was handed out again; for people, and nothing is decided by it. At most MAX_U32. */
  readonly redone: number;
}

export type Bit = 'done' | 'failed';

/** The same as a coordinator is told, without the index. */
export type InFlight = Running | HandedBack;

export interface Running extends Omit<RunningItem, 'index'> {
  readonly state: 'running';
}

export interface HandedBack extends Omit<HandedBackItem, 'index'> {
  readonly state: 'handed-back';
}

/** An item is in exactly one of these (L6). */
export type ItemState = { readonly state: 'fresh' } | HandedOut;

/** What an item can become: nothing ever makes it fresh again. */
export type HandedOut = InFlight | { readonly state: Bit };

/** Consecutive items that were fresh and now all run in the same row, as their first attempt. */
export interface GrantedRange {
  readonly from: ItemIndex;
  readonly count: number;
  readonly item: Running;
}

export interface WorkerRow {
  /** Stands for the worker in the packed rows. */
  readonly number: number;
  /** Null once forgotten: the number stays taken. */
  readonly info: WorkerInfo | null;
  /** The request that wrote it last (L38). */
  readonly by: Stamp;
}

export interface StateRow {
  readonly state: RunState;
  /** The request that wrote it last (L38). */
  readonly by: Stamp;
}

/** What a decision changes; whatever is absent stays as it is. All of it happens, or nothing. */
export interface Writes {
  readonly lease?: Lease;
  readonly head?: Head;
  readonly state?: StateRow;
  readonly place?: Place;
  readonly worker?: { readonly worker: WorkerId; readonly row: WorkerRow };
  readonly tallies?: readonly EpochTally[];
  /** Fresh items that are handed out; `items` may name some of them, and comes after. */
  readonly granted?: readonly GrantedRange[];
  readonly items?: ReadonlyMap<ItemIndex, HandedOut>;
  /** Items whose bits are to be cleared: they were recorded, and are reopened (L45). */
  readonly cleared?: ReadonlyMap<ItemIndex, Bit>;
}

export interface Decision<T> {
  readonly reply: T;
  /** Null: nothing changes. */
  readonly writes: Writes | null;
}
