import type { Epoch, ItemRef, WorkerId } from './row.ts';
import type { ToldTiming } from './timing.ts';

/** The messages between worker and coordinator as the code sees them; rpc/mapping.ts joins them to the wire. */

/** How a worker talks to its coordinator: over streams, on which both sides say something every heartbeat interval, or in calls. */
export type Transport = 'stream' | 'poll';

export type WorkerState = 'init' | 'ready' | 'not-ready' | 'draining';

/** Enough for an address and an error; what is told must fit in one line of a terminal or two. */
export const MAX_DETAIL_CHARACTERS = 200;

export interface Beat {
  readonly workerId: WorkerId;
  readonly bootNonce: string;
  readonly state: WorkerState;
  readonly concurrency: number;
  readonly pid: number;
  readonly loopLagMs: number;
  readonly highestEpoch: Epoch;
  /** Why the worker takes no items: one line of at most MAX_DETAIL_CHARACTERS; empty where it takes them. */
  readonly detail: string;
  /** Name of the machine, by which hints find the worker; empty where it is not known. */
  readonly node: string;
  /** An answer is wanted. On a stream some beats only say that the worker lives; as a call each asks. */
  readonly isAsking: boolean;
}

export interface BeatReply {
  readonly epoch: Epoch;
  readonly isSuperseded: boolean;
  /** The times that hold from now on; absent where the coordinator does not say. */
  readonly timing?: ToldTiming;
}

export type HeldState = 'queued' | 'started' | 'finished';

export interface HeldItem extends ItemRef {
  readonly state: HeldState;
}

export type OutcomeKind = 'result' | 'error';

/** What one attempt ended with. `line` is the finished output line, UTF-8 JSON without a line end. */
export interface Outcome extends ItemRef {
  readonly kind: OutcomeKind;
  readonly line: Uint8Array;
  /** HTTP status of the backend's answer; 0 where there was none. */
  readonly httpStatus: number;
  /** error.code of the line; empty for a result. */
  readonly code: string;
  /** Counts against maxAttempts, and goes back while attempts are left. */
  readonly isRetryable: boolean;
  /**
   * A failure of an item that ran alone on its endpoint, which was ready before and after it and gave no result to others: the endpoint
   * may still be the cause. It counts only if too few items are left to find out (C3).
   */
  readonly isProbe: boolean;
  /** Where the item goes back and is not recorded: for how long it is not claimed again. */
  readonly delayMs: number;
}

/**
 * unavailable: the endpoint is not there, or gives no item a result; refused: all endpoints of the worker refuse everybody (a wrong key
 * or path); quota: the account has none left; throttled: more is asked of the endpoint than it takes; recalled: wanted for another
 * worker (L32), or its line is more than the worker has room for.
 */
export type ReturnReason = 'drained' | 'unavailable' | 'throttled' | 'quota' | 'refused' | 'recalled';

/** An item that goes back without an outcome; nothing is counted against it. */
export interface ItemReturn extends ItemRef {
  readonly reason: ReturnReason;
  /** For how long it is not claimed again. */
  readonly delayMs: number;
  /** Why, in the endpoint's words: one line of at most MAX_DETAIL_CHARACTERS, empty where there is nothing to say. */
  readonly detail: string;
}

/** What a draining worker has just done. */
export type DrainStepKind = 'stopped-pulling' | 'returned-unstarted' | 'finishing' | 'returned-started' | 'leaving' | 'withdrawn';

export interface DrainStep {
  readonly step: DrainStepKind;
  readonly items: number;
  /** What is left of the drain's time. */
  readonly remainingMs: number;
  /** Why it drains: one line of at most MAX_DETAIL_CHARACTERS. */
  readonly reason: string;
}

/** What a worker says in one message, be it a poll or one of a stream. */
export interface Poll {
  readonly workerId: WorkerId;
  readonly bootNonce: string;
  readonly session: number;
  readonly poll: number;
  readonly highestEpoch: Epoch;
  /** Everything the worker holds; only in the first poll of a session (L26). */
  readonly hello: readonly HeldItem[] | null;
  readonly acknowledgedBatch: number;
  readonly isAwaiting: boolean;
  readonly capacity: number;
  readonly outcomes: readonly Outcome[];
  readonly returns: readonly ItemReturn[];
  /** Items that have started since the last message (L32). */
  readonly started: readonly ItemRef[];
  readonly drainSteps: readonly DrainStep[];
  readonly waitMs: number;
}

export type ItemForm = 'batch' | 'raw';

/** An item as it travels to a worker: the bytes of its input line. */
export interface Assignment extends ItemRef {
  readonly line: Uint8Array;
  readonly lineNumber: number;
  readonly form: ItemForm;
}

/** hold: take nothing new, hand back what has not started, and stay. */
export type Order = 'work' | 'hold' | 'drain' | 'finished';

export type PollReply =
  | { readonly status: 'hello-needed'; readonly epoch: Epoch }
  | { readonly status: 'superseded'; readonly epoch: Epoch }
  | {
      readonly status: 'ok';
      readonly epoch: Epoch;
      readonly order: Order;
      /** With `drain`: how long it may take; 0 where the worker's own setting applies. */
      readonly drainMs: number;
      /** Why `drain` or `hold` is ordered; else empty. */
      readonly reason: string;
      /** Number of the batch of assignments, revocations and recalls; 0 when all are empty. */
      readonly batch: number;
      readonly assignments: readonly Assignment[];
      readonly revoked: readonly ItemRef[];
      /** Wanted for another worker, where they have not started (L32). */
      readonly recalled: readonly ItemRef[];
      readonly acknowledged: readonly ItemRef[];
      readonly stale: readonly ItemRef[];
    };

export interface Deregistration {
  readonly workerId: WorkerId;
  readonly bootNonce: string;
  readonly isClean: boolean;
}
