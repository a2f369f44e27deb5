import type { ItemRef } from '../model/row.ts';
import type { ItemReturn, Outcome, Poll } from '../model/session.ts';
import { type Endpoint, isClosed, wantsProbe } from './endpoint/endpoint.ts';
import { onHeard } from './heartbeat/silence.ts';
import { onAsked, onNewSession } from './session/round-time.ts';
import { windowSize } from './session/window.ts';
import { type Held, heldState } from './stage.ts';
import { allHeld, command, newSession, type State, unfinished } from './state.ts';
import { waitsForOutcomes } from './storing.ts';

/** Which message is sent, be it a poll or one of a stream, and what is in it. */

/** A second poll may follow the one that waits, so that news need not wait with it; more would only queue up behind them. */
export const MAX_POLLS_IN_FLIGHT = 2;
/** Well below the 16 MiB of a message, so that one poll does not hold up the next for long. A larger outcome travels alone. */
export const MAX_POLL_BYTES: number = 4 * 1024 * 1024;
/** Keeps one reply's work at the coordinator, and its acknowledgement, short. */
export const MAX_POLL_ITEMS = 4_096;
/** Unacknowledged outcomes are held in memory and on disk: at these bounds the worker takes nothing new until some are acknowledged. */
export const MAX_UNACKNOWLEDGED = 8_192;
export const MAX_UNACKNOWLEDGED_BYTES: number = 64 * 1024 * 1024;
/**
 * On a stream with nothing to say something is said after so many heartbeat intervals, for proxies that close what is quiet one way, and
 * so that a coordinator that hears nothing for a minute knows that the way up is dead. That the worker lives, its beats tell.
 */
export const QUIET_INTERVALS = 20;
/** An outcome that was sent and neither acknowledged nor known to be lost is sent again: longer than any poll waits. */
export const RESEND_AFTER_MS = 60_000;

/** How many items more the worker takes. */
export function capacity(state: State): number {
  if (state.mode.kind !== 'working' || state.isFenced) return 0;
  if (state.outcomeBytes >= MAX_UNACKNOWLEDGED_BYTES) return 0;
  const room = MAX_UNACKNOWLEDGED - state.counts.finished - state.counts.failed - unfinished(state);
  return Math.max(0, Math.min(room, wanted(state) - unfinished(state)));
}

/** How many items the endpoints can use: one for each that is to be probed, and for the others what may run there, plus the window. */
function wanted({ endpoints, settings, credit }: State): number {
  const probes = endpoints.filter(wantsProbe).length;
  const working = endpoints.filter(isClosed);
  if (working.length === 0) return probes;
  const slots = Math.min(settings.concurrency, total(working));
  return slots + probes + windowSize(credit, slots, settings.prefetch);
}

function total(endpoints: readonly Endpoint[]): number {
  return endpoints.reduce((sum, { limit }) => sum + limit.size, 0);
}

/** Sends the poll or polls that are due now. */
export function pollWhereDue(state: State, nowMs: number): void {
  if (!state.isConnected || !state.isRegistered || state.mode.kind === 'left') return;
  const { session } = state;
  if (state.settings.transport === 'stream') return sayWhereDue(state, nowMs);
  if (!session.isOpen) {
    if (session.inFlight.size === 0) send(state, nowMs);
    return;
  }
  if (session.inFlight.size === 0 || (session.inFlight.size < MAX_POLLS_IN_FLIGHT && hasNews(state))) send(state, nowMs);
}

/**
 * On a stream a message goes as soon as there is news and the one before it has left: what comes up meanwhile goes together. What nobody
 * waits for goes once the last outcomes are answered, as in Nagle's algorithm (RFC 896): the longer a round takes, the more a message
 * carries. What is no outcome mostly goes with the next one (storing.ts).
 */
function sayWhereDue(state: State, nowMs: number): void {
  const { session, settings } = state;
  if (session.polls > 0 && (!session.isOpen || session.inFlight.size > 0)) return;
  if (session.polls > 0 && !isDue(state, nowMs) && session.quietMs < QUIET_INTERVALS * settings.heartbeatIntervalMs) return;
  if (session.polls === 0) state.silence = onHeard(state.silence);
  session.quietMs = 0;
  send(state, nowMs);
}

/** Opens a new session: the next poll is its hello (L26). Replies to older polls are ignored from now on. */
export function openSession(state: State): void {
  state.session = newSession(state.session.number + 1);
  state.credit.round = onNewSession(state.credit.round);
  sendAllAgain(state);
}

/** It is not known what the coordinator heard: everything unacknowledged is sent again, which does no harm (L7). */
export function sendAllAgain(state: State): void {
  for (const held of allHeld(state)) if (held.stage.kind === 'started') state.untold.add(held);
  for (const held of state.sent) unsend(state, held);
}

export function resendOverdue(state: State, nowMs: number): void {
  for (const held of state.sent) {
    if (nowMs - (held.sentAtMs ?? nowMs) < RESEND_AFTER_MS) return;
    unsend(state, held);
  }
}

/** The last poll before the worker leaves tells what it has not told yet, where one may be sent. */
export function sayLast(state: State, nowMs: number): void {
  const { session, drain } = state;
  const isHeard = state.isConnected && state.isRegistered && session.isOpen;
  if (isHeard && drain.steps.length > 0 && session.inFlight.size < MAX_POLLS_IN_FLIGHT) send(state, nowMs);
}

function isDue(state: State, nowMs: number): boolean {
  const mayGo = !isAnswerDue(state) || isUrgent(state);
  if (mayGo && hasOutcomes(state)) return true;
  const isLeft = state.isTellingDue || isAcknowledgementDue(state) || (mayGo && isWanting(state));
  return isLeft && !waitsForOutcomes(state, nowMs);
}

function hasNews(state: State): boolean {
  return hasOutcomes(state) || state.isTellingDue || isAcknowledgementDue(state) || isWanting(state);
}

/** Or what goes back, or steps of a drain. */
function hasOutcomes({ unsent, drain }: State): boolean {
  return unsent.size > 0 || drain.steps.length > 0;
}

/** It takes more items than the coordinator knows of. */
function isWanting(state: State): boolean {
  return capacity(state) > state.session.announced;
}

/** Called at each tick: nothing waits for longer than that, and for outcomes that come at once. */
export function tellWhatWaits(state: State): void {
  state.session.awaited = null;
  state.isTellingDue = state.untold.size > 0 || state.session.receivedBatch !== state.session.acknowledgedBatch;
}

/** The next batch follows the acknowledgement of the last. On a stream, where none is to follow, that can wait. */
function isAcknowledgementDue({ session, settings }: State): boolean {
  return session.receivedBatch !== session.acknowledgedBatch && (session.announced > 0 || settings.transport === 'poll');
}

function isAnswerDue({ session, sent }: State): boolean {
  return session.awaited !== null && sent.has(session.awaited);
}

/** Somebody waits for it: a slot to which no item is on its way, or the coordinator, for what goes back. */
function isUrgent(state: State): boolean {
  if (state.counts.returning > 0 || state.drain.steps.length > 0) return true;
  return state.queue.size === 0 && state.session.announced <= 0 && capacity(state) > 0;
}

function send(state: State, nowMs: number): void {
  const { session, settings } = state;
  session.polls += 1;
  state.gathering.saidAtMs = nowMs;
  const isHello = session.polls === 1;
  const poll: Poll = {
    workerId: settings.workerId,
    bootNonce: settings.bootNonce,
    session: session.number,
    poll: session.polls,
    highestEpoch: state.guard.highestEpoch,
    hello: isHello ? allHeld(state).map((held) => ({ ...held.ref, state: heldState(held.stage) })) : null,
    acknowledgedBatch: session.receivedBatch,
    isAwaiting: session.inFlight.size > 0,
    capacity: capacity(state),
    ...handOver(state, nowMs),
    started: tellStarted(state, isHello),
    drainSteps: state.drain.steps.splice(0),
    // A stream waits for nothing, and a hello is answered at once: nothing starts before it where the worker had fenced itself (L36).
    waitMs: isHello || settings.transport === 'stream' ? 0 : settings.pollWaitMs,
  };
  session.inFlight.add(poll.poll);
  state.credit.round = onAsked(state.credit.round, nowMs, session.announced, poll.capacity);
  session.announced = poll.capacity;
  session.acknowledgedBatch = poll.acknowledgedBatch;
  command(state, { kind: 'poll', poll });
}

/** What has started since the last message; a hello has said it of everything (L26). */
function tellStarted(state: State, isHello: boolean): readonly ItemRef[] {
  state.isTellingDue = false;
  const told: ItemRef[] = [];
  const { untold } = state;
  for (let held = untold.first; held !== null && (isHello || told.length < MAX_POLL_ITEMS); held = untold.first) {
    untold.delete(held);
    if (!isHello) told.push(held.ref);
  }
  return told;
}

/** Takes as much of what is to be sent as one poll carries. */
function handOver(state: State, nowMs: number): { readonly outcomes: Outcome[]; readonly returns: ItemReturn[] } {
  const outcomes: Outcome[] = [];
  const returns: ItemReturn[] = [];
  let bytes = 0;
  for (const held of state.unsent) {
    const { stage } = held;
    const more = stage.kind === 'finished' ? stage.outcome.line.byteLength : 0;
    if (outcomes.length + returns.length >= MAX_POLL_ITEMS || (bytes > 0 && bytes + more > MAX_POLL_BYTES)) break;
    bytes += more;
    if (stage.kind === 'finished') outcomes.push(stage.outcome);
    if (stage.kind === 'returning') returns.push(stage.item);
    state.sent.add(held);
    held.sentAtMs = nowMs;
    state.session.awaited = held;
  }
  return { outcomes, returns };
}

function unsend(state: State, held: Held): void {
  state.unsent.add(held);
  held.sentAtMs = null;
}
