import type { Epoch, ItemRef } from '../model/row.ts';
import type { Assignment, ItemReturn, Outcome, Poll, WorkerState } from '../model/session.ts';

/** How one execution ended: with an outcome, or with the item going back uncounted. */
export type Ending =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | {
      readonly kind: 'return';
      readonly item: ItemReturn;
      /** How long the backend asked for quiet, in milliseconds; 0 where it did not say. */
      readonly quietMs: number;
    };

/**
 * Why the worker leaves. `given-up` is a drain whose acknowledgements never came; `gone`: its machine is, or counts
 * as such; `alone`: no coordinator has answered for too long.
 */
export type Leaving = 'drained' | 'given-up' | 'finished' | 'superseded' | 'gone' | 'alone';

/** What the machine wants done; the loop does it, and comes back with the fact (see machine.ts). */
export type Command =
  /** Comes back as onEnded. */
  | { readonly kind: 'start'; readonly assignment: Assignment }
  /** Abort the execution; what it still ends with is ignored. */
  | { readonly kind: 'stop'; readonly ref: ItemRef }
  /** Make the outcome durable; comes back as onStored (L34). */
  | { readonly kind: 'store'; readonly outcome: Outcome }
  | { readonly kind: 'forget'; readonly refs: readonly ItemRef[] }
  | { readonly kind: 'keep-epoch'; readonly epoch: Epoch }
  /** Comes back as onReply or onPollFailed; on a stream, as onWritten, and replies come as they please. */
  | { readonly kind: 'poll'; readonly poll: Poll }
  /** Leave this coordinator and find one, with backoff; comes back as onConnected. */
  | { readonly kind: 'reconnect' }
  /** What the next beats say; said at once. */
  | { readonly kind: 'say'; readonly state: WorkerState; readonly detail: string }
  /** Ask the backend until it is ready; comes back as onBackendReady. */
  | { readonly kind: 'probe' }
  /** Deregister unless superseded, and end, all of it by `byMs`. The last command. */
  | { readonly kind: 'leave'; readonly why: Leaving; readonly unacknowledged: number; readonly byMs: number };
