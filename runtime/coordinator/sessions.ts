import { present } from '../base/assert.ts';
import { plainRef, refKey, type WorkerId } from '../model/row.ts';
import type { HeldItem, Poll } from '../model/session.ts';
import type { Token } from './commands.ts';
import { answer, answerEmpty, flush } from './delivery.ts';
import { onDrainSteps } from './drain.ts';
import { judge, onReturned } from './judge.ts';
import { command, endRecall, findRow, itemAt, refOf, rowOf, rowOfWorker } from './mirror.ts';
import { loseRows } from './poison.ts';
import { hasLiveRow } from './reading.ts';
import { bootKey, checkEpoch } from './registry.ts';
import type { Item, State, Worker } from './state.ts';
import { endRecalls, noteStarted } from './steal.ts';

/** One poll of a worker: what it hands over is taken in, and the poll waits until there is something to say. */
export function onPoll(state: State, nowMs: number, poll: Poll, token: Token): void {
  if (state.replacedBoots.has(bootKey(poll.workerId, poll.bootNonce))) {
    return command(state, { kind: 'reply-poll', token, reply: { status: 'superseded', epoch: state.epoch } });
  }
  checkEpoch(state, poll.highestEpoch);
  const worker = state.workers.get(poll.workerId);
  // A boot that is not registered has to beat first; answered at the next tick, so that it cannot spin.
  if (worker === undefined || worker.bootNonce !== poll.bootNonce) return void state.strangers.push(token);
  if (poll.hello !== null && poll.session > worker.session) openSession(state, worker, poll.session, poll.hello);
  if (poll.session !== worker.session) {
    return command(state, { kind: 'reply-poll', token, reply: { status: 'hello-needed', epoch: state.epoch } });
  }
  if (poll.poll <= worker.poll) {
    takeIn(state, worker, poll);
    return answerEmpty(state, worker, token);
  }
  acceptPoll(state, nowMs, worker, poll, token);
}

function acceptPoll(state: State, nowMs: number, worker: Worker, poll: Poll, token: Token): void {
  if (worker.waiting !== null) answerEmpty(state, worker, worker.waiting.token);
  worker.poll = poll.poll;
  worker.capacity = poll.capacity;
  worker.waiting = { token, untilMs: nowMs + Math.min(poll.waitMs, state.settings.pollWaitMs) };
  const acknowledged = worker.sent !== null && poll.acknowledgedBatch >= worker.sent.number ? worker.sent : null;
  if (acknowledged !== null) worker.sent = null;
  if (worker.sent !== null && !poll.isAwaiting) worker.sent.isUnderway = false;
  takeIn(state, worker, poll);
  endRecalls(state, worker, acknowledged?.recalled ?? []);
  flush(state, worker);
}

/** Outcomes and returns are good whichever poll brings them: the ledger judges. */
function takeIn(state: State, worker: Worker, poll: Poll): void {
  const { id } = worker;
  for (const ref of poll.started) {
    const live = findRow(state.items.get(ref.index), rowOf(id, ref));
    if (live !== undefined) noteStarted(state, live);
  }
  for (const outcome of poll.outcomes) judge(state, id, outcome);
  for (const returned of poll.returns) onReturned(state, id, returned);
  onDrainSteps(state, worker, poll.drainSteps);
}

/** L26, L27: the answer to hello re-sends, hands back or revokes the difference between the rows and what is held. */
function openSession(state: State, worker: Worker, session: number, held: readonly HeldItem[]): void {
  if (worker.waiting !== null) answerEmpty(state, worker, worker.waiting.token);
  worker.waiting = null;
  worker.session = session;
  worker.poll = 0;
  worker.sent = null;
  worker.acknowledged = [];
  worker.stale = [];
  worker.revoked = held.filter((item) => item.state !== 'finished' && !hasLiveRow(state, worker.id, item)).map(plainRef);
  worker.recalled = [];
  meetRows(state, worker, new Map(held.map((item) => [refKey(item), item])));
}

/** A row that is not held is sent again to the same boot; what another boot held has crashed with it. */
function meetRows(state: State, worker: Worker, held: ReadonlyMap<string, HeldItem>): void {
  const crashed: Item[] = [];
  for (const index of worker.items) {
    const item = itemAt(state, index);
    const live = present(rowOfWorker(item, worker.id), 'a row of the worker');
    const here = held.get(refKey(refOf(index, live.row)));
    if (here !== undefined && here.state !== 'queued') noteStarted(state, live);
    endRecall(state, live);
    if (here !== undefined || isPromised(worker, item)) continue;
    if (item.lock !== null) worker.unmet.add(index);
    else if (live.bootNonce !== worker.bootNonce) crashed.push(item);
    else worker.unread.add(index);
  }
  if (crashed.length > 0) loseRows(state, worker, crashed, true);
}

function isPromised(worker: Worker, item: Item): boolean {
  return worker.unread.has(item.index) || worker.outgoing.has(item.index);
}

/** The caller of a waiting poll is gone; its batch counts as not received until the worker says otherwise. */
export function onPollGone(state: State, id: WorkerId, token: Token): void {
  const worker = state.workers.get(id);
  if (worker?.waiting?.token === token) worker.waiting = null;
  state.strangers = state.strangers.filter((stranger) => stranger !== token);
}

/** Polls whose time is over are answered, with nothing if need be. */
export function answerOverdue(state: State, nowMs: number): void {
  for (const token of state.strangers.splice(0)) {
    command(state, { kind: 'reply-poll', token, reply: { status: 'hello-needed', epoch: state.epoch } });
  }
  for (const worker of state.workers.values()) {
    if (worker.waiting !== null && nowMs >= worker.waiting.untilMs) answer(state, worker);
  }
}
