import type { Faults } from '../ledger/contract.ts';
import type { Durations } from '../model/durations.ts';
import type { FailureLimit } from '../model/failure-limit.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { Attempt, Epoch, ItemIndex, ItemRef, Row, WorkerId } from '../model/row.ts';
import type { Assignment, ItemReturn, Outcome, WorkerState } from '../model/session.ts';
import type { Batch, Channel } from './channel.ts';
import type { Command, Grant, Token } from './commands.ts';
import type { Hints, Instruction } from './drain.ts';
import type { WaitCause, Waits } from './waits.ts';

/** What the machine needs to know of the settings; all times in milliseconds. */
export interface MachineSettings {
  readonly heartbeatIntervalMs: number;
  readonly coordinatorFailureTimeoutMs: number;
  /** Told to the workers, as the heartbeat interval and the poll's wait are. */
  readonly workerSelfFenceTimeoutMs: number;
  readonly clockSkewBudgetMs: number;
  readonly pollWaitMs: number;
  readonly drainTimeoutMs: number;
  /** Failures after which an item is recorded as failed. */
  readonly maxAttempts: number;
  /** How many 401, 403 or 404 answers in a row pause the run. */
  readonly breaker: number;
  /** Nothing has become terminal for so long, and for ten times the longest item time seen: the run has stalled. */
  readonly stallAfterMs: number;
  /** A run in which nothing has become terminal for so long ends; Infinity for never. */
  readonly stallTimeoutMs: number;
  /** Beyond it the run pauses; null for none. */
  readonly maxFailedItems: FailureLimit | null;
  /** Whether idle workers get second attempts of what runs long at the end of the list (L13). */
  readonly stragglers: boolean;
}

/**
 * Why an item's row must not be touched just now. recording: between the hand-over to the log and a known settle (L19); returning: a
 * hand-back is under way (L28); claiming: a claim is; restoring: its row is being given back to it (L44); moving: a reassign or a second
 * attempt is; suspect: its answer may be the endpoint's fault (breaker.ts); crashed: whether the end of its worker counts against it is
 * not known yet; condemned: it counts, for the last time (poison.ts).
 */
export type Lock = 'recording' | 'returning' | 'claiming' | 'restoring' | 'moving' | 'suspect' | 'crashed' | 'condemned';

/** One running row of an item, with what is known of it beside the ledger. */
export interface LiveRow {
  readonly row: Row;
  /** Boot of the worker for which the row was claimed; empty where it is not known. */
  bootNonce: string;
  /** Its worker has said that it started it, or kept it when it was recalled: it is never stolen (L32). */
  isStarted: boolean;
  /** When it started, as far as is known, else when it was claimed. */
  sinceMs: number;
  /** The worker for which its own was asked to release it; null for none. */
  recalledFor: WorkerId | null;
  /** A hand-back or reassign of this row is under way: it is not sent to anybody (L28). */
  isLeaving: boolean;
  /** Its worker gives it back while it is being taken from it: it may forget it then. */
  isGivenBack: boolean;
}

/** What came for an item while its lock was closed. */
export type Waiting =
  | { readonly worker: WorkerId; readonly outcome: Outcome }
  | { readonly worker: WorkerId; readonly returned: ItemReturn };

/** The mirror of one item that is handed out and not terminal. */
export interface Item {
  readonly index: ItemIndex;
  /** One row, or two with a second attempt (L13); none while it is handed back. */
  rows: LiveRow[];
  /** The row that was taken from it last; means something only while it has no other (L15). */
  taken: Row;
  /** The highest attempt ever given (L9). */
  lastAttempt: Attempt;
  faults: Faults;
  /** A handed-back item is not claimed before this moment of the monotonic clock. */
  dueAtMs: number;
  lock: Lock | null;
  /** How its last attempt ended, for people; null where that was no failure (waits.ts). */
  why: WaitCause | null;
  /** To be judged again when the lock opens (L19). */
  readonly waiting: Waiting[];
}

export interface Worker {
  readonly id: WorkerId;
  bootNonce: string;
  pid: number;
  /** The machine it runs on, as it says; empty where it does not. */
  node: string;
  concurrency: number;
  state: WorkerState | 'unknown';
  /** Why it takes no items, as its last beat said. */
  detail: string;
  /** Items returned since the worker's last result because its endpoints refuse every item. */
  refusals: number;
  /** Rows that the scan found may be of an earlier boot (L27). */
  hasOlderRows: boolean;
  /** False until the ledger has its registry row: no claim before. */
  isRegistered: boolean;
  isSuspected: boolean;
  dueAtMs: number;
  lastBeatMs: number;
  /** 0 while no session of this boot is open. */
  session: number;
  poll: number;
  capacity: number;
  /** Indexes of its running rows. */
  readonly items: Set<ItemIndex>;
  readonly unread: Set<ItemIndex>;
  /** Rows that its hello did not name while something else was being done with the item (L27). */
  readonly unmet: Set<ItemIndex>;
  /** Started items of its newest hello whose rows are being restored (L44), by `refKey`: the hello may name an earlier attempt as well. */
  readonly restoring: Set<string>;
  /** Items of which a row is on its way to it: asked back from others, being moved, or second attempts being written. */
  readonly awaited: Set<ItemIndex>;
  isReading: boolean;
  readonly outgoing: Map<ItemIndex, Assignment>;
  outgoingBytes: number;
  revoked: ItemRef[];
  /** To be asked for, so that they can be stolen. */
  recalled: ItemRef[];
  acknowledged: ItemRef[];
  stale: ItemRef[];
  sent: Batch | null;
  batches: number;
  /** Where it can be told something; null while it does not listen. */
  channel: Channel | null;
  /** Beats that wait for the registration. */
  beats: Token[];
  toldOrder: Instruction;
  /** The strictest of all that is said about it or its machine; null for nothing. */
  demand: ComputeHint | null;
}

/** What is known of the input ahead of the cursor. */
export interface Supply {
  /** Indexes below this one have been surveyed. */
  upTo: number;
  /** Invalid indexes at or above the cursor, ascending. */
  invalid: ItemIndex[];
  isSurveying: boolean;
  /** Lines indexed so far, for display. */
  indexed: number;
  /** Number of items; null while indexing goes on. */
  items: number | null;
}

/** Items whose workers died (poison.ts). */
export interface Poison {
  /** The workers lost lately, oldest first: when, and what each had in flight. */
  losses: { readonly atMs: number; readonly items: ReadonlySet<ItemIndex> }[];
  /** Losses of a worker with one item alone, until it is known whether others were lost with it. */
  trials: { readonly index: ItemIndex; readonly atMs: number }[];
  /** Items that run alone, in the order in which they came back. */
  alone: ItemIndex[];
  /** When a worker was last lost with an item that ran alone. */
  lastAloneLossMs: number;
  /** The worker that is kept free for one of them, and the one that runs there; null while it still has others. */
  host: { readonly worker: WorkerId; index: ItemIndex | null } | null;
}

export type Phase =
  | { readonly kind: 'running' }
  | { readonly kind: 'pausing'; readonly reason: string; readonly untilMs: number; isRecorded: boolean }
  | { readonly kind: 'finishing' }
  /** Waits until `leastMs` for workers that may still come, and until `untilMs` for those that are connected. */
  | { readonly kind: 'finished'; readonly leastMs: number; readonly untilMs: number }
  | { readonly kind: 'stopped' };

/** What is kept to notice that nothing becomes terminal any more (stall.ts). */
export interface Headway {
  /** When an item became terminal last, or this coordinator began. */
  lastMs: number;
  longestItemMs: number;
  /** Workers lost since then, and the items that were taken from them. */
  losses: number;
  lostItems: number;
  /** What was told of the present stall; null while there is none. */
  told: string | null;
}

export interface State {
  readonly settings: MachineSettings;
  readonly epoch: Epoch;
  phase: Phase;
  cursor: ItemIndex;
  done: number;
  failed: number;
  readonly supply: Supply;
  readonly items: Map<ItemIndex, Item>;
  /** Handed-back items that may be claimed now, in the order in which they came back. */
  ready: ItemIndex[];
  /** Handed-back items whose time has not come. */
  delayed: ItemIndex[];
  /** The round of claims that is under way; null when a new one may be planned. */
  claims: readonly Grant[] | null;
  readonly workers: Map<WorkerId, Worker>;
  readonly hints: Hints;
  /** Boots that another boot of the same worker has replaced (L26). */
  readonly replacedBoots: Set<string>;
  /** The last boot of each worker that has gone: where another one comes after it, it was replaced. */
  readonly goneBoots: Map<WorkerId, string>;
  /**
   * Workers for which something has changed since the last fact: only they may have something to be told, or lines to be read. At each
   * scan all are looked at.
   */
  readonly touched: Set<WorkerId>;
  /** All workers that may have room for items, and some that have none. */
  readonly hungry: Set<WorkerId>;
  /** Calls of unknown workers; answered at the next tick, so that they cannot spin. */
  readonly strangers: Set<Token>;
  /** Answers in a row that point at the endpoint, not at the item. */
  readonly suspects: { readonly worker: WorkerId; readonly outcome: Outcome }[];
  /** Workers whose goodbye has not been answered yet. */
  leaving: number;
  /** Items that the coordinator itself is recording. */
  condemned: number;
  /** The time of the fact that is being taken in. */
  nowMs: number;
  lastTickMs: number;
  /** How long the last recorded items ran, for stragglers; the oldest is overwritten. */
  readonly durations: Durations;
  readonly poison: Poison;
  readonly headway: Headway;
  readonly waits: Waits;
  commands: Command[];
}
