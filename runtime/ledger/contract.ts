import type { AcquireReply, AcquireRequest, Lease, SeenLease } from '../model/lease.ts';
import type { Attempt, Epoch, ItemIndex, Row, Stamp, WorkerId } from '../model/row.ts';
import type { Progress, RunState } from '../model/run.ts';
import type { EpochTally, Reopening } from '../model/tally.ts';

/**
 * The ledger says who may do what (SPEC.md). One contract; memory, embedded and Redis implement it, and one suite checks all.
 *
 * Expected refusals are values. A thrown `CallFailed` says that the call was not carried out, or that its fate is unknown; every verb is
 * safe to repeat, also long after (L38). Any other error means that the store is broken, or is a bug. views.ts has what each caller needs.
 * Every verb that names an epoch checks it in the same transaction and answers `fenced` when the ledger's has moved on (L5).
 * A reply is given only after its commit is durable (L16).
 */
export interface Ledger {
  /** Reads the lease row; null where no coordinator ever held it. Never blocks on a writer. */
  readLease(): Promise<SeenLease>;
  acquire(request: AcquireRequest): Promise<AcquireReply>;
  /** Compare-and-swap of the holder's own bytes: `renewals` grows by one. Asked again with the old ones, it answers what is there. */
  renew(held: Lease, ttlMs: number): Promise<{ readonly kind: 'renewed'; readonly lease: Lease } | Fenced>;
  /** Resign: empties `holder`, keeps the epoch; the next acquires epoch + 1 at once (L1). */
  release(held: Lease): Promise<{ readonly kind: 'released' } | Fenced>;

  /** Records, before the first claim, the place where outcomes are kept; another one is refused (L22). */
  bind(epoch: Epoch, place: Place): Promise<{ readonly kind: 'bound' } | { readonly kind: 'elsewhere'; readonly place: Place } | Fenced>;

  /** What a coordinator writes over and over, in one transaction: settlements, then hand-backs, then claims, with a verdict on each. */
  commit(epoch: Epoch, request: CommitRequest): Promise<Committed | Gone | Fenced>;
  /** Moves unstarted rows to another worker (stealing), each by a compare-and-swap of its row (L12, L32). */
  reassign(epoch: Epoch, moves: readonly Move[]): Promise<ReassignReply | Gone | Fenced>;
  /** Lets handed-back items run again in the rows that were taken from them last, for a worker that still executes them (L44). */
  restore(epoch: Epoch, rows: readonly CountedRow[]): Promise<RestoreReply | Gone | Fenced>;
  /** Gives a running item a second attempt on another worker: a second row of the item (L13). */
  second(epoch: Epoch, worker: WorkerId, items: readonly SoleRow[]): Promise<SecondAttemptReply | Gone | Fenced>;
  /** Read-only: may this attempt still settle? What `stale` is confirmed with (L29). */
  look(epoch: Epoch, rows: readonly NamedRow[]): Promise<{ readonly kind: 'looked'; readonly verdicts: readonly Verdict[] } | Fenced>;

  /** Overwrites a worker's registry row; gives it a worker number of its own at first sight, never used again (L9). */
  register(by: Stamp, worker: WorkerId, info: WorkerInfo): Promise<{ readonly kind: 'registered' } | Overtaken | Fenced>;
  /** Removes a worker's registry row; its number stays taken. */
  forget(by: Stamp, worker: WorkerId): Promise<{ readonly kind: 'forgotten' } | Overtaken | Fenced>;

  /** While paused, claims, `reassign` and `second` are answered `gone`; settlements, hand-backs and `restore` go on. */
  pause(by: Stamp, reason: string): Promise<{ readonly kind: 'paused' } | Gone | Overtaken | Fenced>;
  resume(by: Stamp): Promise<{ readonly kind: 'resumed' } | Gone | Overtaken | Fenced>;
  /** Ends the run: afterwards what claims, settles, hands back or moves answers `gone` (L16). Refused while an item is not terminal. */
  finish(by: Stamp, items: number): Promise<Finished | Overtaken | Fenced>;

  /** Takes back what is recorded of some items, so that they run again; a completed run runs again (L45). */
  reopen(by: Stamp, reopening: Reopening): Promise<ReopenReply | Overtaken | Fenced>;

  /** All that a coordinator's mirror is built from; checks L6 and throws a LedgerCorrupt error where it does not hold. */
  scan(epoch: Epoch): Promise<Scan | Fenced>;
  /** Counters; needs no epoch. */
  progress(): Promise<Progress>;
  /** The done and failed bits of `count` items from `from`: one byte each, see `ItemBit`. Needs no epoch (export, verify). */
  bits(from: ItemIndex, count: number): Promise<Uint8Array>;
  /** What was accepted under each epoch and still counts, ascending (L22, L39). Needs no epoch. */
  tallies(): Promise<readonly EpochTally[]>;
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

/** A later request of the same caller was carried out before this one, which changed nothing (L38). Nobody waits for this answer. */
export type Overtaken = { readonly kind: 'overtaken' };

export type Finished = { readonly kind: 'finished' } | { readonly kind: 'unfinished'; readonly progress: Progress };

/** The run is paused or completed. */
export interface Gone {
  readonly kind: 'gone';
  readonly state: RunState;
}

export interface Place {
  /** Random identity of the results place, kept in the place itself. */
  readonly placeId: string;
  readonly runId: string;
}

/** What a claim asks for: a handed-back item by the highest attempt that it was ever given, or `count` fresh ones from the cursor (L8). */
export type Pick = IndexPick | { readonly cursor: ItemIndex; readonly count: number };
/** `isRedone`: its execution had begun before; where the pick is granted, the ledger counts that, and nothing else depends on it. */
export type IndexPick = { readonly index: ItemIndex; readonly lastAttempt: Attempt; readonly isRedone?: true };

export interface CommitRequest {
  readonly settles: readonly Settlement[];
  readonly handBacks: readonly HandBack[];
  readonly claims: readonly Claim[];
}

export interface Committed {
  readonly kind: 'committed';
  /** One for each of what was asked, in its order. */
  readonly settled: readonly SettleVerdict[];
  readonly handedBack: readonly HandBackVerdict[];
  /** Gone: the run is paused. */
  readonly claimed: readonly (Claimed | Gone)[];
}

/** A worker that is not registered is granted nothing (L31). */
export interface Claim {
  readonly worker: WorkerId;
  readonly picks: readonly Pick[];
}

export interface Claimed {
  readonly kind: 'claimed';
  /** Granted claims, in the order of the picks. claimEpoch is the caller's epoch. */
  readonly granted: readonly Granted[];
  /** What stands where a pick was refused; for a cursor pick every index of its range below the ledger's cursor (L8). */
  readonly found: readonly Found[];
  /** The cursor after this claim. */
  readonly cursor: ItemIndex;
}

/** Items from `from`, all under the same attempt: those of a cursor pick, or a part of them, or the one of a pick by index. */
export interface Granted {
  readonly from: ItemIndex;
  readonly count: number;
  readonly attempt: Attempt;
}

/** What stands there. `lastAttempt` is the highest attempt that the item was ever given; its rows may have lower ones (L9). */
export type Found =
  | { readonly index: ItemIndex; readonly state: 'fresh' }
  | ({ readonly state: 'handed-back' } & HandedBackItem)
  | ({ readonly state: 'running' } & RunningItem)
  | { readonly index: ItemIndex; readonly state: 'done' | 'failed' };

export interface RunningItem {
  readonly index: ItemIndex;
  readonly row: Row;
  /** The row of a second attempt (L13). */
  readonly second: Row | null;
  readonly lastAttempt: Attempt;
  readonly faults: Faults;
}

/** Its row is the one that was taken from it last (L15). */
export type HandedBackItem = Omit<RunningItem, 'second'>;

/** The outcome of an item, for the row that its assignment named. */
export interface Settlement extends NamedRow {
  readonly isResult: boolean;
}

/**
 * accepted: this call set the item's bit; recorded: the item is terminal already, be it by an earlier call of the very same row whose
 * reply was lost; stale: may never settle (L11). After accepted and recorded the worker may forget the bytes.
 */
export type SettleVerdict = 'accepted' | 'recorded' | 'stale';

export interface NamedRow {
  readonly index: ItemIndex;
  readonly row: Row;
}

/** `live`: the row is one of those running, or was handed back last and may still settle (L15). */
export type Verdict = 'live' | 'recorded' | 'stale';

/** failed: `failures` grows; suspected: `suspicions`; crashed: `crashes`. Everything else is uncounted. */
export type HandBackReason = 'failed' | 'drained' | 'unavailable' | 'throttled' | 'lost' | 'quota' | 'recalled' | 'suspected' | 'crashed';

/** A row, and how often the item was given back to a row that was taken from it, as the caller knows it: a late copy knows less (L38). */
export type CountedRow = NamedRow & { readonly restores: number };

export interface HandBack extends CountedRow {
  readonly reason: HandBackReason;
  /** The item is not to be claimed again for so long; kept as a duration, since no clock survives a restart. */
  readonly delayMs: number;
}

/** Returned, also when it already was, by this very row; or what stands there instead (L7). */
export type HandBackVerdict = Returned | Refused;

export interface Returned {
  readonly kind: 'returned';
  readonly faults: Faults;
  readonly lastAttempt: Attempt;
  /** The row that still runs (L13); null: the item is pending. */
  readonly other: Row | null;
}

export type Refused = { readonly kind: 'refused'; readonly found: Found };

export type Move = NamedRow & { readonly to: WorkerId };

export interface ReassignReply {
  readonly kind: 'reassigned';
  /** Per move: the attempt under which `to` has it now, also when asked again; or what stands there instead (L7). */
  readonly verdicts: readonly ({ readonly kind: 'moved'; readonly attempt: Attempt } | Refused)[];
}

/** Per row: it runs again, or ran already; or what stands there instead (L7). */
export type RestoreReply = { readonly kind: 'restored'; readonly verdicts: readonly ({ readonly kind: 'restored' } | Refused)[] };

/** The only row of a running item, and the highest attempt that the item was ever given (L38). */
export type SoleRow = NamedRow & { readonly lastAttempt: Attempt };

export interface SecondAttemptReply {
  readonly kind: 'second-attempts';
  /** Per row: the second attempt's number, also when asked again; or what stands there instead (L7). */
  readonly verdicts: readonly ({ readonly kind: 'granted'; readonly attempt: Attempt } | Refused)[];
}

/** Sparse, kept until the item is terminal (L14). */
export interface Faults {
  /** How often the item itself failed. */
  readonly failures: number;
  readonly delayMs: number;
  /** How often a worker that had it was given up without a sign of its end. */
  readonly suspicions: number;
  /** How often the process of a worker that had it ended. */
  readonly crashes: number;
  /** How often a row that was taken from the item was given back to it (L44). */
  readonly restores: number;
}

export const NO_FAULTS: Faults = { failures: 0, delayMs: 0, suspicions: 0, crashes: 0, restores: 0 };

export interface WorkerInfo {
  readonly bootNonce: string;
  readonly pid: number;
  readonly concurrency: number;
  /** Rows that were given to an earlier boot may still stand: of which boot a row is, nobody knows then (L27). */
  readonly hasOlderRows?: true;
  /** Wall clock of the registration, for display only; decides nothing (L25). */
  readonly registeredAtMs: number;
}

/** `refused`: nothing was written, since these are not recorded (L7). */
export type ReopenReply = { readonly kind: 'reopened' } | { readonly kind: 'refused'; readonly found: readonly Found[] };
export interface Scan {
  readonly kind: 'scanned';
  readonly progress: Progress;
  readonly place: Place | null;
  readonly running: readonly RunningItem[];
  readonly handedBack: readonly HandedBackItem[];
  readonly workers: readonly { readonly worker: WorkerId; readonly info: WorkerInfo }[];
}
