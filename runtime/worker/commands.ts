import type { Epoch, ItemRef } from '../model/row.ts';
import type { Assignment, Outcome, Poll, WorkerState } from '../model/session.ts';
import type { EndpointFailure } from './endpoint/outage.ts';

/** How one execution ended. */
export type Ending =
  /** The item is finished: a result, or an error of its own. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** It failed, and the endpoint may be the reason. `outcome` is what it has if the failure counts. */
  | { readonly kind: 'failure'; readonly outcome: Outcome; readonly failure: EndpointFailure }
  /** The endpoint refuses it for now. `quietMs`: how long it asked for quiet, in milliseconds; 0 where it did not say. */
  | { readonly kind: 'throttled'; readonly outcome: Outcome; readonly quietMs: number; readonly detail: string }
  /** No connection came about: nothing was executed. */
  | { readonly kind: 'unavailable'; readonly ref: ItemRef; readonly detail: string };

export interface Ended {
  readonly ref: ItemRef;
  readonly ending: Ending;
}

/** What came of the known-good request. refused: the endpoint refused it too, or there is none; nothing: no answer that shows anything. `detail` may be empty. */
export type KnownGoodEnd = { readonly kind: 'answered' } | { readonly kind: 'refused' | 'nothing'; readonly detail: string };

/**
 * Why the worker leaves. `given-up` is a drain whose acknowledgements never came; `gone`: its machine is, or counts
 * as such; `alone`: no coordinator has answered for too long.
 */
export type Leaving = 'drained' | 'given-up' | 'finished' | 'superseded' | 'gone' | 'alone';

/** What the machine wants done; the loop does it, and comes back with the fact (see machine.ts). */
export type Command =
  /** Comes back as onEnded. */
  | { readonly kind: 'start'; readonly assignment: Assignment; readonly endpoint: number }
  /** Abort the execution; what it still ends with is ignored. */
  | { readonly kind: 'stop'; readonly ref: ItemRef }
  /** Make these outcomes durable, all at once; comes back as onStored (L34). */
  | { readonly kind: 'store'; readonly outcomes: readonly Outcome[] }
  /** Comes back as onWake at that time. It replaces the one before. */
  | { readonly kind: 'wake'; readonly atMs: number }
  | { readonly kind: 'forget'; readonly refs: readonly ItemRef[] }
  | { readonly kind: 'keep-epoch'; readonly epoch: Epoch }
  /** Comes back as onReply or onPollFailed; on a stream, as onWritten, and replies come as they please. */
  | { readonly kind: 'poll'; readonly poll: Poll }
  /** Leave this coordinator and find one, with backoff; comes back as onConnected. */
  | { readonly kind: 'reconnect' }
  /** What the next beats say; said at once. */
  | { readonly kind: 'say'; readonly state: WorkerState; readonly detail: string }
  /** Ask an endpoint whether it is ready, after the gap that belongs to so many tries; comes back as onReadiness. */
  | { readonly kind: 'ask'; readonly endpoint: number; readonly tries: number }
  /** Ask an endpoint with a request that has had a result before (known-good.ts); comes back as onKnownGood. */
  | { readonly kind: 'ask-known-good'; readonly endpoint: number }
  /** For the log: why an endpoint is away, each time that it is found so. */
  | { readonly kind: 'note-away'; readonly detail: string }
  /** Deregister unless superseded, and end, all of it by `byMs`. The last command. */
  | { readonly kind: 'leave'; readonly why: Leaving; readonly unacknowledged: number; readonly byMs: number };
