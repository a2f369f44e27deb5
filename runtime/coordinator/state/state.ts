import type { LogThrottle } from '../../base/log-throttle.ts';
import type { DrainState } from '../../model/drain.ts';
import type { Durations } from '../../model/durations.ts';
import type { FailureLimit } from '../../model/failure-limit.ts';
import type { ComputeHint } from '../../model/hint.ts';
import type { Epoch, ItemIndex, WorkerId } from '../../model/row.ts';
import type { DrainStep, Outcome } from '../../model/session.ts';
import type { Command, Grant, Token } from './commands.ts';
import type { Item, WaitCause } from './item.ts';
import type { ReadonlyItemTable } from './item-table.ts';
import type { Worker } from './worker.ts';

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
  /** The coordinator of a finished run answers until it is told to end. */
  readonly serveAfterEnd: boolean;
  /** Beyond it the run pauses; null for none. */
  readonly maxFailedItems: FailureLimit | null;
  /** Whether idle workers get second attempts of what runs long at the end of the list (L13). */
  readonly stragglers: boolean;
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
  pendingCrashes: { readonly index: ItemIndex; readonly atMs: number }[];
  /** When a worker was last lost with an item that ran alone. */
  lastAloneLossMs: number;
  /** The worker that is kept free for one of them, and the one that runs there; null while it still has others. */
  host: { readonly worker: WorkerId; index: ItemIndex | null } | null;
}

/** The drain of one boot of a worker, as it has told of it. */
export interface Drain {
  readonly bootNonce: string;
  readonly steps: DrainStep[];
  state: DrainState;
}

export interface Hints {
  /** What the hints file says now. */
  file: readonly ComputeHint[];
  /** What was said by call, by node and worker. */
  readonly told: Map<string, ComputeHint>;
  /** Who was told to drain by name; it holds for that boot alone. */
  readonly asked: Map<WorkerId, { readonly bootNonce: string; readonly hint: ComputeHint }>;
  /** The newest drain of each worker. */
  readonly drains: Map<WorkerId, Drain>;
}

/** Items with the same cause, and when the first of them is due; null where all are being tried again. */
export interface WaitGroup {
  readonly reason: string;
  items: number;
  dueAtMs: number | null;
}

/** What is kept to say why items wait. */
export interface Waits {
  /** By key. */
  readonly causes: Map<string, WaitCause>;
  /** The commonest causes when the items were counted last. */
  counted: readonly WaitGroup[];
  countedAtMs: number;
  /** When the commonest cause was last looked at for an event. */
  lookedAtMs: number;
  /** Reasons that were told by events, with growing gaps. */
  told: LogThrottle;
}

export type Phase =
  | { readonly kind: 'running' }
  | { readonly kind: 'pausing'; readonly reason: string; readonly untilMs: number; isRecorded: boolean }
  | { readonly kind: 'finishing' }
  /** Waits until `leastMs` for workers that may still come, and until `untilMs` for those that are connected; Infinity: until told to end. */
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
  /** How often an item that had begun was handed out again (RunStatus). */
  redone: number;
  readonly supply: Supply;
  /** Items that are handed out and not terminal. Only items.ts writes them, and `reopened`; the three queues are written by queues.ts. */
  readonly items: ReadonlyItemTable;
  /** Handed-back items that may be claimed now, in the order in which they came back. */
  readonly ready: readonly ItemIndex[];
  /** Handed-back items whose time has not come. */
  readonly delayed: readonly ItemIndex[];
  /** Items that run alone (isolation.ts), in the order in which they came back. */
  readonly alone: readonly ItemIndex[];
  /** Items whose lock has opened: what waited for that is judged when the fact has been taken in. */
  readonly reopened: readonly Item[];
  /** The round of claims that is under way; null when a new one may be planned. */
  claims: readonly Grant[] | null;
  /** Written by state/workers.ts and the room `workers`. */
  readonly workers: ReadonlyMap<WorkerId, Worker>;
  readonly hints: Hints;
  /** Boots that another boot of the same worker has replaced (L26). */
  readonly replacedBoots: Set<string>;
  /** The last boot of each worker that has gone: where another one comes after it, it was replaced. */
  readonly goneBoots: Map<WorkerId, string>;
  /**
   * Workers for which something has changed since the last fact: only they may have something to be told, or lines to be read. At each
   * scan all are looked at.
   */
  readonly dirty: Set<WorkerId>;
  /** All workers that may have room for items, and some that have none. */
  readonly withCapacity: Set<WorkerId>;
  /** Calls of unknown workers; answered at the next tick, so that they cannot spin. */
  readonly unregistered: Set<Token>;
  /** Answers in a row that point at the endpoint, not at the item. */
  readonly heldFailures: { readonly worker: WorkerId; readonly outcome: Outcome }[];
  /** Rows that a round of claims has brought, by worker: delivered after that. */
  granted: { readonly worker: WorkerId; readonly indexes: readonly ItemIndex[] }[];
  /** Workers whose goodbye has not been answered yet. */
  leaving: number;
  /** Items that the coordinator itself is recording. */
  rejected: number;
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
