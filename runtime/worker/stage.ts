import type { Linked } from '../base/linked-list.ts';
import type { OfAttempt } from '../model/attempt-map.ts';
import type { ItemRef } from '../model/row.ts';
import type { Assignment, HeldState, ItemReturn, Outcome } from '../model/session.ts';

/**
 * Where a held item stands. failed: executed, and whether that counts against it is not known yet (endpoint.ts); storing: executed, not
 * yet durable, so not yet to be sent (L34); finished: durable, until acknowledged; returning: going back without an outcome, never
 * executed again under this attempt (L36).
 */
export type Stage =
  | { readonly kind: 'queued'; readonly assignment: Assignment }
  | { readonly kind: 'started'; readonly startedAtMs: number }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly detail: string; readonly endpoint: number; readonly failedAtMs: number }
  | { readonly kind: 'storing'; readonly outcome: Outcome }
  | { readonly kind: 'finished'; readonly outcome: Outcome }
  | { readonly kind: 'returning'; readonly item: ItemReturn };

export interface Held extends Linked<Held>, OfAttempt<Held> {
  readonly ref: ItemRef;
  stage: Stage;
  /** When it was put into a poll last; null when it is to be sent. */
  sentAtMs: number | null;
}

/** How the coordinator sees a stage. A returning item is told as queued, so that it is not assigned again (L27). */
export function heldState(stage: Stage): HeldState {
  if (stage.kind === 'finished') return 'finished';
  return stage.kind === 'queued' || stage.kind === 'returning' ? 'queued' : 'started';
}

/** Of the line of an item that waits for a slot. */
export function waitingBytes(stage: Stage): number {
  return stage.kind === 'queued' ? stage.assignment.line.length : 0;
}

/** Of an outcome that is not acknowledged. */
export function outcomeBytes(stage: Stage): number {
  return stage.kind === 'finished' || stage.kind === 'storing' ? stage.outcome.line.byteLength : 0;
}
