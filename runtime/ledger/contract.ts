import type { Lease, ProcessIdentity } from '../model/lease.ts';
import type { Attempt, Epoch, ItemIndex, ItemRef, Row, WorkerId } from '../model/row.ts';
import type { Progress, RunState } from '../model/run.ts';

/**
 * The ledger says who may do what (SPEC.md). One contract; memory and embedded implement it, and one suite checks both.
 *
 * Expected refusals are values. A thrown error means "it is not known whether it happened"; every verb is safe to repeat.
 * Every verb that names an epoch checks it in the same transaction and answers `fenced` when the ledger's has moved on (L5).
 * A reply is given only after its commit is durable (L16).
 */
export interface Ledger {
  /** Reads the lease row; null where no coordinator ever held it. Never blocks on a writer. */
  readLease(): Promise<Lease | null>;
  acquire(request: AcquireRequest): Promise<AcquireReply>;
  /** Compare-and-swap of the holder's own bytes: `renewals` grows by one. */
  renew(held: Lease): Promise<{ readonly kind: 'renewed'; readonly lease: Lease } | Fenced>;
  /** Resign: empties `holder`, keeps the epoch; the next acquires epoch + 1 at once (L1). */
  release(held: Lease): Promise<{ readonly kind: 'released' } | Fenced>;

  /** Records, before the first claim, the place where outcomes are kept; another one is refused (L22). */
  bind(epoch: Epoch, place: Place): Promise<{ readonly kind: 'bound' } | { readonly kind: 'elsewhere'; readonly place: Place } | Fenced>;

  /** A worker that is not registered is granted nothing (L31). */
  claim(epoch: Epoch, worker: WorkerId, picks: readonly Pick[]): Promise<ClaimReply | Gone | Fenced>;
  settle(epoch: Epoch, worker: WorkerId, outcomes: readonly Settlement[]): Promise<SettleReply | Gone | Fenced>;
  handBack(epoch: Epoch, returns: readonly HandBack[]): Promise<HandBackReply | Gone | Fenced>;
  /** Read-only: may this attempt still settle? What `stale` is confirmed with (L29). */
  look(epoch: Epoch, rows: readonly NamedRow[]): Promise<{ readonly kind: 'looked'; readonly verdicts: readonly Verdict[] } | Fenced>;

  /** Overwrites a worker's registry row; gives it a worker number of its own at first sight, never used again (L9). */
  register(epoch: Epoch, worker: WorkerId, info: WorkerInfo): Promise<{ readonly kind: 'registered' } | Fenced>;
  /** Removes a worker's registry row; its number stays taken. */
  forget(epoch: Epoch, worker: WorkerId): Promise<{ readonly kind: 'forgotten' } | Fenced>;

  /** `claim` answers `gone` while paused; `settle` and `handBack` go on. */
  pause(epoch: Epoch, reason: string): Promise<{ readonly kind: 'paused' } | Gone | Fenced>;
  resume(epoch: Epoch): Promise<{ readonly kind: 'resumed' } | Gone | Fenced>;
  /** Ends the run: afterwards `claim`, `settle` and `handBack` answer `gone` (L16). Refused while an item is not terminal. */
  finish(
    epoch: Epoch,
    items: number,
  ): Promise<{ readonly kind: 'finished' } | { readonly kind: 'unfinished'; readonly progress: Progress } | Fenced>;

  /** All that a coordinator's mirror is built from; checks L6 and throws a LedgerCorrupt error where it does not hold. */
  scan(epoch: Epoch): Promise<Scan | Fenced>;
  /** Counters; needs no epoch. */
  progress(): Promise<Progress>;
  /** The done and failed bits of `count` items from `from`: one byte each, see `ItemBit`. Needs no epoch (export, verify). */
  bits(from: ItemIndex, count: number): Promise<Uint8Array>;
  /** Epochs under which at least one outcome was accepted, ascending (L22). Needs no epoch. */
  acceptedEpochs(): Promise<readonly Epoch[]>;
  /** Lets go of files and handles; nothing is written. */
  dispose(): Promise<void>;
}

/** Values in `bits`. */
export const ITEM_BIT = { open: 0, done: 1, failed: 2 } as const;

export interface Fenced {
  readonly kind: 'fenced';
  /** The ledger's epoch now. */
  readonly epoch: Epoch;
}

/** The run is paused or completed. */
export interface Gone {
  readonly kind: 'gone';
  readonly state: RunState;
}

export interface AcquireRequest {
  /** Nonce of this process start (L2). */
  readonly holder: string;
  readonly process: ProcessIdentity;
  readonly address: string;
  /**
   * The exact row that the candidate has seen and may replace: null where there was none, a released row, or one whose expiry or
   * holder's death the candidate has established (L4). The compare-and-swap decides.
   */
  readonly expected: Lease | null;
  /** Highest epoch known outside the ledger, -1 for none: a ledger that is behind is refused (L3). */
  readonly floor: number;
}

export type AcquireReply =
  | {
      readonly kind: 'won';
      readonly lease: Lease;
      /** The process that had to be killed for the writer's lock; null nearly always. */
      readonly killedPid: number | null;
    }
  /** Somebody else's row is there now. */
  | { readonly kind: 'held'; readonly lease: Lease }
  /** The ledger's epoch (-1: none) is below the floor: a restored backup, or a store that lost writes. */
  | { readonly kind: 'behind'; readonly epoch: number; readonly floor: number };

export interface Place {
  /** Random identity of the results place, kept in the place itself. */
  readonly placeId: string;
  readonly runId: string;
}

/** What a claim asks for: a handed-back item by its last attempt, or `count` fresh ones from the cursor (L8). */
export type Pick = { readonly index: ItemIndex; readonly lastAttempt: Attempt } | { readonly cursor: ItemIndex; readonly count: number };

export interface ClaimReply {
  readonly kind: 'claimed';
  /** Granted claims, in the order of the picks. claimEpoch is the caller's epoch. */
  readonly granted: readonly { readonly index: ItemIndex; readonly attempt: Attempt }[];
  /** What stands where a pick was refused; for a cursor pick every index of its range below the ledger's cursor (L8). */
  readonly found: readonly Found[];
  /** The cursor after this claim. */
  readonly cursor: ItemIndex;
}

export type Found =
  | { readonly index: ItemIndex; readonly state: 'fresh' }
  | { readonly index: ItemIndex; readonly state: 'handed-back'; readonly row: Row; readonly faults: Faults }
  | { readonly index: ItemIndex; readonly state: 'running'; readonly row: Row; readonly faults: Faults }
  | { readonly index: ItemIndex; readonly state: 'done' | 'failed' };

export interface Settlement extends ItemRef {
  readonly isResult: boolean;
}

/**
 * accepted: this call set the item's bit; recorded: the item is terminal already, be it by an earlier call of the very same row whose
 * reply was lost; stale: may never settle (L11). After accepted and recorded the worker may forget the bytes.
 */
export type SettleVerdict = 'accepted' | 'recorded' | 'stale';

export interface SettleReply {
  readonly kind: 'settled';
  readonly verdicts: readonly SettleVerdict[];
}

export interface NamedRow {
  readonly index: ItemIndex;
  readonly row: Row;
}

/** `live`: the row is running, or was handed back last and may still settle (L15). */
export type Verdict = 'live' | 'recorded' | 'stale';

/** failed: `failures` grows. Everything else is uncounted. */
export type HandBackReason = 'failed' | 'drained' | 'unavailable' | 'throttled' | 'lost' | 'quota';

export interface HandBack extends NamedRow {
  readonly reason: HandBackReason;
  /** The item is not to be claimed again for so long; kept as a duration, since no clock survives a restart. */
  readonly delayMs: number;
}

export interface HandBackReply {
  readonly kind: 'returned';
  /** Per row: returned (also when it already was, by this very row), or what stands there instead (L7). */
  readonly verdicts: readonly (
    | { readonly kind: 'returned'; readonly faults: Faults }
    | { readonly kind: 'refused'; readonly found: Found }
  )[];
}

/** Sparse, kept until the item is terminal (L14). */
export interface Faults {
  readonly failures: number;
  readonly delayMs: number;
}

export const NO_FAULTS: Faults = { failures: 0, delayMs: 0 };

export interface WorkerInfo {
  readonly bootNonce: string;
  readonly pid: number;
  readonly concurrency: number;
  /** Wall clock of the registration, for display only; decides nothing (L25). */
  readonly registeredAtMs: number;
}

export interface Scan {
  readonly kind: 'scanned';
  readonly progress: Progress;
  readonly place: Place | null;
  readonly running: readonly { readonly index: ItemIndex; readonly row: Row; readonly faults: Faults }[];
  readonly handedBack: readonly { readonly index: ItemIndex; readonly row: Row; readonly faults: Faults }[];
  readonly workers: readonly { readonly worker: WorkerId; readonly info: WorkerInfo }[];
}
