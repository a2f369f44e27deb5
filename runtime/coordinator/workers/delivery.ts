import { mustGet } from '../../base/assert.ts';
import type { ItemRef } from '../../model/row.ts';
import type { Assignment, PollReply } from '../../model/session.ts';
import type { Token } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import type { State } from '../state/state.ts';
import { type Batch, isGoing, type OwnWorker, type Worker } from '../state/worker.ts';
import { ownWorkers, takeOutgoing } from '../state/workers.ts';
import { instructionFor, isSameInstruction, remainingMs } from './drain.ts';

/** Bytes of input lines in one reply: well below the message limit of 16 MiB; a single larger line travels alone. */
export const MAX_BATCH_BYTES: number = 4 * 1024 * 1024;
/** On a stream the next batch follows at once, and a short message lets the pulse through in time where the way is slow. */
export const MAX_STREAM_BATCH_BYTES: number = 128 * 1024;
/** Acknowledgements in one reply: bounds the message; the rest follows in the next. */
const MAX_ACKNOWLEDGED = 4_096;

/** Tells a worker what there is to say, if anything, and if it listens. */
export function flush(state: State, worker: OwnWorker): void {
  const { channel } = worker;
  if (channel === null || (channel.kind === 'stream' && channel.isWriting)) return;
  if (worker.sent === null) worker.sent = nextBatch(worker, channel.kind === 'stream' ? MAX_STREAM_BATCH_BYTES : MAX_BATCH_BYTES);
  const hasBatch = worker.sent !== null && !worker.sent.isUnderway;
  const isOrderNew = !isSameInstruction(worker.toldOrder, instructionFor(state, worker));
  const mayForget = worker.acknowledged.length > 0 || worker.stale.length > 0;
  if (hasBatch || (mayForget && !waitsForLines(worker)) || isOrderNew) answer(state, worker);
}

/** What it is to do next is being read: what it may forget goes in the same message, unless that is all that it waits for. */
export function waitsForLines(worker: Worker): boolean {
  return worker.isReading && !isGoing(worker);
}

/** Tells those for whom something has changed. */
export function flushTouched(state: State): void {
  for (const id of state.dirty) {
    const worker = ownWorkers(state).get(id);
    if (worker !== undefined) flush(state, worker);
  }
}

/** Says what there is, be it nothing: that answers a poll, and is the pulse of a stream. */
export function answer(state: State, worker: OwnWorker): void {
  const channel = mustGet(worker.channel, 'somebody who listens');
  if (channel.kind === 'poll') worker.channel = null;
  else {
    channel.isWriting = true;
    channel.quietScans = 0;
  }
  const batch = worker.sent !== null && !worker.sent.isUnderway ? worker.sent : null;
  if (batch !== null) batch.isUnderway = true;
  worker.toldOrder = instructionFor(state, worker);
  reply(state, worker, channel.token, {
    ...(batch === null
      ? NO_BATCH
      : { batch: batch.number, assignments: batch.assignments, revoked: batch.revoked, recalled: batch.recalled }),
    acknowledged: worker.acknowledged.splice(0, MAX_ACKNOWLEDGED),
    stale: worker.stale.splice(0, MAX_ACKNOWLEDGED),
  });
}

/** Answers a poll that a newer one has overtaken: nothing is said in it. */
export function answerEmpty(state: State, worker: OwnWorker, token: Token): void {
  reply(state, worker, token, { ...NO_BATCH, acknowledged: [], stale: [] });
}

/** The worker is told nothing more where it listens now: a poll is answered with `last`, a stream ends after it. */
export function closeChannel(state: State, worker: OwnWorker, last: PollReply | null): void {
  const { channel } = worker;
  worker.channel = null;
  if (channel === null) return;
  if (last !== null) command(state, { kind: 'reply-poll', token: channel.token, reply: last });
  else if (channel.kind === 'poll') answerEmpty(state, worker, channel.token);
  if (channel.kind === 'stream') command(state, { kind: 'end-session', token: channel.token });
}

type Content = Omit<Extract<PollReply, { readonly status: 'ok' }>, 'status' | 'epoch' | 'order' | 'drainMs' | 'reason'>;

const NO_BATCH = { batch: 0, assignments: [], revoked: [], recalled: [] } as const;

function reply(state: State, worker: OwnWorker, token: Token, content: Content): void {
  const { order, reason } = worker.toldOrder;
  const drainMs = remainingMs(worker.toldOrder, state.nowMs);
  command(state, { kind: 'reply-poll', token, reply: { status: 'ok', epoch: state.epoch, order, drainMs, reason, ...content } });
}

function nextBatch(worker: OwnWorker, maxBytes: number): Batch | null {
  if (worker.outgoing.size === 0 && worker.revoked.length === 0 && worker.recalled.length === 0) return null;
  const assignments: Assignment[] = [];
  let bytes = 0;
  for (const assignment of worker.outgoing.values()) {
    if (assignments.length > 0 && bytes + assignment.line.length > maxBytes) break;
    takeOutgoing(worker, assignment.index);
    assignments.push(assignment);
    bytes += assignment.line.length;
  }
  const revoked: readonly ItemRef[] = worker.revoked.splice(0);
  worker.batches += 1;
  return { number: worker.batches, assignments, revoked, recalled: worker.recalled.splice(0), isUnderway: false };
}
