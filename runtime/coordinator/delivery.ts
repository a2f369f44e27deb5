import { present } from '../base/assert.ts';
import type { ItemRef } from '../model/row.ts';
import type { Assignment, PollReply } from '../model/session.ts';
import type { Token } from './commands.ts';
import { instructionFor, isSameInstruction, remainingMs } from './drain.ts';
import { command, takeOutgoing } from './mirror.ts';
import type { Batch, State, Worker } from './state.ts';

/** Bytes of input lines in one reply: well below the message limit of 16 MiB; a single larger line travels alone. */
export const MAX_BATCH_BYTES: number = 4 * 1024 * 1024;
/** Acknowledgements in one reply: bounds the message; the rest follows in the next. */
const MAX_ACKNOWLEDGED = 4_096;

/** Answers the waiting poll of a worker if there is anything to say. */
export function flush(state: State, worker: Worker): void {
  if (worker.waiting === null) return;
  if (worker.sent === null) worker.sent = nextBatch(worker);
  const hasBatch = worker.sent !== null && !worker.sent.isUnderway;
  const isOrderNew = !isSameInstruction(worker.toldOrder, instructionFor(state, worker));
  if (hasBatch || worker.acknowledged.length > 0 || worker.stale.length > 0 || isOrderNew) answer(state, worker);
}

export function flushAll(state: State): void {
  for (const worker of state.workers.values()) flush(state, worker);
}

/** Answers the waiting poll with what there is, be it nothing. */
export function answer(state: State, worker: Worker): void {
  const { token } = present(worker.waiting, 'a waiting poll');
  worker.waiting = null;
  const batch = worker.sent !== null && !worker.sent.isUnderway ? worker.sent : null;
  if (batch !== null) batch.isUnderway = true;
  worker.toldOrder = instructionFor(state, worker);
  reply(state, worker, token, {
    ...(batch === null
      ? NO_BATCH
      : { batch: batch.number, assignments: batch.assignments, revoked: batch.revoked, recalled: batch.recalled }),
    acknowledged: worker.acknowledged.splice(0, MAX_ACKNOWLEDGED),
    stale: worker.stale.splice(0, MAX_ACKNOWLEDGED),
  });
}

/** Answers a poll that a newer one has overtaken: nothing is said in it. */
export function answerEmpty(state: State, worker: Worker, token: Token): void {
  reply(state, worker, token, { ...NO_BATCH, acknowledged: [], stale: [] });
}

type Content = Omit<Extract<PollReply, { readonly status: 'ok' }>, 'status' | 'epoch' | 'order' | 'drainMs' | 'reason'>;

const NO_BATCH = { batch: 0, assignments: [], revoked: [], recalled: [] } as const;

function reply(state: State, worker: Worker, token: Token, content: Content): void {
  const { order, reason } = worker.toldOrder;
  const drainMs = remainingMs(worker.toldOrder, state.nowMs);
  command(state, { kind: 'reply-poll', token, reply: { status: 'ok', epoch: state.epoch, order, drainMs, reason, ...content } });
}

function nextBatch(worker: Worker): Batch | null {
  if (worker.outgoing.size === 0 && worker.revoked.length === 0 && worker.recalled.length === 0) return null;
  const assignments: Assignment[] = [];
  let bytes = 0;
  for (const [index, assignment] of worker.outgoing) {
    if (assignments.length > 0 && bytes + assignment.line.length > MAX_BATCH_BYTES) break;
    takeOutgoing(worker, index);
    assignments.push(assignment);
    bytes += assignment.line.length;
  }
  const revoked: readonly ItemRef[] = worker.revoked.splice(0);
  worker.batches += 1;
  return { number: worker.batches, assignments, revoked, recalled: worker.recalled.splice(0), isUnderway: false };
}
