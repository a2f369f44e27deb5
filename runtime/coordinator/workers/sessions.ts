import { mustGet } from '../../base/assert.ts';
import { plainRef, refKey, type WorkerId } from '../../model/row.ts';
import type { HeldItem, Poll } from '../../model/session.ts';
import { WORD_INTERVALS } from '../../model/timing.ts';
import { endRecalls } from '../dispatch/steal.ts';
import { judge, onReturned } from '../items/judge.ts';
import { loseRows } from '../items/poison.ts';
import { restoreStarted } from '../items/restore.ts';
import type { Token } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import { type ActiveClaim, type Item, refOf, rowOfWorker } from '../state/item.ts';
import { endRecall, itemAt, noteStarted, startItem } from '../state/items.ts';
import { handBackAll } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { isGoing, type OwnWorker } from '../state/worker.ts';
import { ownWorkers } from '../state/workers.ts';
import { answer, answerEmpty, closeChannel, flush } from './delivery.ts';
import { isLeaving, onDrainSteps } from './drain.ts';
import { hasActiveClaim } from './reading.ts';
import { bootKey, checkEpoch, toldIntervalMs } from './registry.ts';

/** A worker is given up on a stream after so many scans (a minute at the usual interval) in which nothing was heard of it. */
export const MAX_UNHEARD_SCANS = 240;
/** Scans, two in each heartbeat interval, after which the coordinator says at least that it is there. */
export const PULSE_SCANS: number = 2 * WORD_INTERVALS;

/** A worker that was told a longer interval waits for a word for so much longer. */
function pulseScans(state: State, worker: OwnWorker): number {
  return (PULSE_SCANS * toldIntervalMs(state, worker)) / state.settings.heartbeatIntervalMs;
}

/** One poll of a worker: what it hands over is taken in, and the poll waits until there is something to say. */
export function onPoll(state: State, nowMs: number, poll: Poll, token: Token): void {
  const worker = admit(state, poll, token);
  if (worker === null) return;
  if (poll.poll <= worker.poll) {
    takeIn(state, worker, poll);
    return answerEmpty(state, worker, token);
  }
  closeChannel(state, worker, null);
  worker.poll = poll.poll;
  worker.channel = { kind: 'poll', token, untilMs: nowMs + Math.min(poll.waitMs, state.settings.pollWaitMs) };
  accept(state, worker, poll);
  if (worker.sent !== null && !poll.isAwaiting) worker.sent.isUnderway = false;
  flush(state, worker);
}

/** One message of a stream. The first one opens the session, and is answered at once. */
export function onMessage(state: State, poll: Poll, token: Token): void {
  const before = ownWorkers(state).get(poll.workerId)?.session;
  const worker = admit(state, poll, token);
  if (worker === null) return;
  if (worker.session !== before) {
    worker.channel = { kind: 'stream', token, isWriting: false, quietScans: 0, unheardScans: 0 };
    accept(state, worker, poll);
    flush(state, worker);
    if (!isWriting(worker)) answer(state, worker);
    return;
  }
  if (worker.channel?.kind !== 'stream' || worker.channel.token !== token) return needHello(state, token);
  worker.channel.unheardScans = 0;
  accept(state, worker, poll);
  flush(state, worker);
}

/** The worker whose session this message belongs to; null where it has been answered already. */
function admit(state: State, poll: Poll, token: Token): OwnWorker | null {
  if (state.replacedBoots.has(bootKey(poll.workerId, poll.bootNonce))) {
    command(state, { kind: 'reply-poll', token, reply: { status: 'superseded', epoch: state.epoch } });
    return null;
  }
  checkEpoch(state, poll.workerId, poll.highestEpoch);
  const worker = ownWorkers(state).get(poll.workerId);
  // A boot that is not registered has to beat first; answered at the next tick, so that it cannot spin.
  if (worker === undefined || worker.bootNonce !== poll.bootNonce) {
    state.unregistered.add(token);
    return null;
  }
  state.dirty.add(worker.id);
  if (isHelloOfThisTerm(state, poll) && poll.session > worker.session) openSession(state, worker, poll.session, poll.hello);
  if (poll.session === worker.session) return worker;
  needHello(state, token);
  return null;
}

/**
 * L26: a hello that was said before this term may be on its way for long, and tells nothing of what the worker has been given since. Only
 * one that was said to this coordinator knows its epoch.
 */
function isHelloOfThisTerm(state: State, poll: Poll): poll is Poll & { readonly hello: readonly HeldItem[] } {
  return poll.hello !== null && poll.highestEpoch === state.epoch;
}

function needHello(state: State, token: Token): void {
  command(state, { kind: 'reply-poll', token, reply: { status: 'hello-needed', epoch: state.epoch } });
}

function accept(state: State, worker: OwnWorker, poll: Poll): void {
  worker.capacity = poll.capacity;
  const acknowledged = worker.sent !== null && poll.acknowledgedBatch >= worker.sent.number ? worker.sent : null;
  if (acknowledged !== null) worker.sent = null;
  takeIn(state, worker, poll);
  endRecalls(state, worker, acknowledged?.recalled ?? []);
}

function isWriting(worker: OwnWorker): boolean {
  return worker.channel?.kind === 'stream' && worker.channel.isWriting;
}

/** Outcomes and returns are good whichever poll brings them: the ledger judges. */
function takeIn(state: State, worker: OwnWorker, poll: Poll): void {
  const { id } = worker;
  for (const ref of poll.started) startItem(state, id, ref);
  for (const outcome of poll.outcomes) judge(state, id, outcome);
  for (const returned of poll.returns) onReturned(state, id, returned);
  onDrainSteps(state, worker, poll.drainSteps);
}

/** L26, L27: the answer to hello re-sends, hands back or revokes the difference between the rows and what is held. */
function openSession(state: State, worker: OwnWorker, session: number, held: readonly HeldItem[]): void {
  closeChannel(state, worker, null);
  worker.session = session;
  worker.poll = 0;
  worker.sent = null;
  worker.acknowledged = [];
  worker.stale = [];
  restoreStarted(state, worker, held);
  worker.revoked = held.filter((item) => mustStop(state, worker, item)).map(plainRef);
  worker.recalled = [];
  meetRows(state, worker, new Map(held.map((item) => [refKey(item), item])));
}

/** Its row is gone, and does not come back. */
function mustStop(state: State, worker: OwnWorker, item: HeldItem): boolean {
  return item.state !== 'finished' && !hasActiveClaim(state, worker.id, item) && !worker.restoring.has(refKey(item));
}

/** What is not held, and nothing is being done with, is sent again or handed back. */
function meetRows(state: State, worker: OwnWorker, held: ReadonlyMap<string, HeldItem>): void {
  const crashed: Item[] = [];
  const lost: Item[] = [];
  for (const index of worker.items) {
    const item = itemAt(state, index);
    const live = mustGet(rowOfWorker(item, worker.id), 'a row of the worker');
    const here = held.get(refKey(refOf(index, live.row)));
    if (here !== undefined && here.state !== 'queued') noteStarted(state, index, live);
    endRecall(state, index, live);
    if (here !== undefined || isPromised(worker, item)) continue;
    if (item.lock !== null) worker.unreconciled.add(index);
    else if (isOfOtherBoot(worker, live)) crashed.push(item);
    else if (mayBeSent(worker, live)) worker.unread.add(index);
    else lost.push(item);
  }
  handBackAll(state, worker.id, lost, 'lost');
  if (crashed.length > 0) loseRows(state, worker, crashed, !isLeaving(state, worker.id));
}

/** It has crashed with that boot. */
function isOfOtherBoot(worker: OwnWorker, { bootNonce }: ActiveClaim): boolean {
  return bootNonce !== '' && bootNonce !== worker.bootNonce;
}

/** Where nobody knows whose it was, sending it again could have one attempt executed twice; one that is to go is given nothing. */
function mayBeSent(worker: OwnWorker, { bootNonce }: ActiveClaim): boolean {
  return bootNonce === worker.bootNonce && !isGoing(worker);
}

function isPromised(worker: OwnWorker, item: Item): boolean {
  return worker.unread.has(item.index) || worker.outgoing.has(item.index);
}

/** What was said last on a stream has left; whatever came up meanwhile follows. */
export function onWritten(state: State, id: WorkerId, token: Token): void {
  const worker = ownWorkers(state).get(id);
  if (worker?.channel?.kind !== 'stream' || worker.channel.token !== token) return;
  worker.channel.isWriting = false;
  state.dirty.add(id);
  flush(state, worker);
}

/** Nobody listens there any more; what was said last counts as not received until the worker says otherwise. */
export function onHungUp(state: State, id: WorkerId, token: Token): void {
  const worker = ownWorkers(state).get(id);
  if (worker?.channel?.token === token) worker.channel = null;
  state.unregistered.delete(token);
}

/** Polls whose time is over are answered, with nothing if need be, and streams hear at least a pulse. */
export function scanChannels(state: State, nowMs: number): void {
  for (const token of state.unregistered) needHello(state, token);
  state.unregistered.clear();
  for (const worker of ownWorkers(state).values()) scanChannel(state, nowMs, worker);
}

function scanChannel(state: State, nowMs: number, worker: OwnWorker): void {
  const { channel } = worker;
  if (channel === null) return;
  if (channel.kind === 'poll') {
    if (nowMs >= channel.untilMs) answer(state, worker);
    return;
  }
  channel.unheardScans += 1;
  channel.quietScans += 1;
  // Proxies in between may answer the pings of the transport for a worker that has gone.
  if (channel.unheardScans > MAX_UNHEARD_SCANS) closeChannel(state, worker, null);
  else if (channel.quietScans >= pulseScans(state, worker) && !channel.isWriting) answer(state, worker);
}
