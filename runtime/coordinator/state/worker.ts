import type { DenseMap, ReadonlyDenseMap } from '../../base/dense-map.ts';
import type { DenseSet, ReadonlyDenseSet } from '../../base/dense-set.ts';
import type { ComputeHint } from '../../model/hint.ts';
import type { ItemIndex, ItemRef, WorkerId } from '../../model/row.ts';
import type { Assignment, Order, WorkerState } from '../../model/session.ts';
import type { Token } from './commands.ts';

/** A worker as its owners write it: state/workers.ts, and the room `workers`, which hears it and speaks to it. */
export interface OwnWorker {
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
  /** How often it beats, as the last answer told it; null before. */
  toldIntervalMs: number | null;
  lastBeatMs: number;
  /** 0 while no session of this boot is open. */
  session: number;
  poll: number;
  capacity: number;
  /** Indexes of its running rows. */
  readonly items: DenseSet;
  readonly unread: DenseSet;
  /** Rows that its hello did not name while something else was being done with the item (L27). */
  readonly unreconciled: Set<ItemIndex>;
  /** Started items of its newest hello whose rows are being restored (L44), by `refKey`: the hello may name an earlier attempt as well. */
  readonly restoring: Set<string>;
  /** Items of which a row is on its way to it: asked back from others, being moved, or second attempts being written. */
  readonly awaited: Set<ItemIndex>;
  isReading: boolean;
  readonly outgoing: DenseMap<Assignment>;
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

/** A worker as all others read it. */
export type Worker = View<OwnWorker>;

type View<T> = { readonly [K in keyof T]: ViewOf<T[K]> };

type ViewOf<V> = V extends DenseSet ? ReadonlyDenseSet : V extends DenseMap<infer E> ? ReadonlyDenseMap<E> : ViewOfCollection<V>;

type ViewOfCollection<V> =
  V extends Set<infer E> ? ReadonlySet<E> : V extends Map<infer K, infer E> ? ReadonlyMap<K, E> : V extends (infer E)[] ? readonly E[] : V;

/** What one worker is told to do now. */
export interface Instruction {
  readonly order: Order;
  /** When the drain must have ended; null where the worker's own setting applies. */
  readonly untilMs: number | null;
  readonly reason: string;
}

/** What was sent to a worker in one message. */
export interface Batch {
  readonly number: number;
  readonly assignments: readonly Assignment[];
  readonly revoked: readonly ItemRef[];
  readonly recalled: readonly ItemRef[];
  /** False when it must be put into the next reply (again). */
  isUnderway: boolean;
}

/** A poll that waits can be answered once; on a stream one message follows the other. */
export type Channel =
  | { readonly kind: 'poll'; readonly token: Token; readonly untilMs: number }
  | {
      readonly kind: 'stream';
      readonly token: Token;
      /** The last message has not left yet: nothing more is sent to a peer that does not read. */
      isWriting: boolean;
      /** Scans since something was sent, and since something was received. */
      quietScans: number;
      unheardScans: number;
    };

/** As far as the coordinator has decided it, or the worker said so in its beat. */
export function isGoing(worker: Worker): boolean {
  return worker.demand !== null || worker.state === 'draining';
}
