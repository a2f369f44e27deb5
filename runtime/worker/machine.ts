import { never } from '../base/assert.ts';
import type { Epoch, ItemRef } from '../model/row.ts';
import type { Poll, PollReply } from '../model/session.ts';
import type { Command, Ending, Leaving } from './commands.ts';
import { isDeposed, isOutOfTouch, onValidReply } from './epoch-guard.ts';
import { end, forget, recall, returnQueued, returnStarted, revoke, startQueued, stored, take } from './holding.ts';
import { openSession, pollWhereDue, resendOverdue, sendAllAgain } from './polling.ts';
import { whyNotReady, workerState } from './say.ts';
import { isTooLong, onGivenUp, onHeard, onWaited } from './silence.ts';
import { allHeld, command, type State } from './state.ts';

/**
 * The worker's rules (SPEC.md). Each handler takes a fact into the state and answers what is to be done now; the loop does it, in the
 * order given, and comes back with the facts that follow from it. Nothing here waits, and nothing knows the time but by `nowMs`.
 */

/** How long a drain waits for acknowledgements after its started items have ended; then the rest stays in the outbox. */
export const ACKNOWLEDGE_TIMEOUT_MS = 10_000;
/** The same where the run is finished: its coordinator stays for a few seconds. */
export const FINISHED_TIMEOUT_MS = 3_000;

/** Names a poll: one of an older session is ignored (L26). */
export type PollId = Pick<Poll, 'session' | 'poll'>;

export function onStart(state: State, nowMs: number): readonly Command[] {
  command(state, { kind: 'probe' });
  command(state, { kind: 'reconnect' });
  return settle(state, nowMs);
}

/** A coordinator was found; the next poll goes there. */
export function onConnected(state: State, nowMs: number): readonly Command[] {
  state.isConnected = true;
  return settle(state, nowMs);
}

/** A beat was answered. The first one has registered the worker, so that polls may begin. */
export function onBeat(
  state: State,
  nowMs: number,
  beat: { readonly epoch: Epoch; readonly isSuperseded: boolean; readonly receivedMs: number },
): readonly Command[] {
  if (isDeposed(state.guard, beat.epoch)) return settle(state, nowMs);
  // The beats have found a successor: whoever holds the polls is deposed, and may hold them for long.
  if (beat.epoch > state.guard.highestEpoch && state.session.isOpen) leaveCoordinator(state);
  noteValid(state, beat.epoch, beat.receivedMs);
  state.isRegistered = true;
  if (beat.isSuperseded) go(state, 'superseded');
  return settle(state, nowMs);
}

export function onReply(state: State, nowMs: number, id: PollId, reply: PollReply): readonly Command[] {
  if (id.session !== state.session.number) return settle(state, nowMs);
  state.session.inFlight.delete(id.poll);
  state.silence = onHeard(state.silence);
  if (isDeposed(state.guard, reply.epoch)) {
    leaveCoordinator(state);
    return settle(state, nowMs);
  }
  noteValid(state, reply.epoch, nowMs);
  switch (reply.status) {
    case 'hello-needed':
      openSession(state);
      break;
    case 'superseded':
      go(state, 'superseded');
      break;
    case 'ok':
      onContent(state, nowMs, reply);
      break;
    default:
      never(reply);
  }
  return settle(state, nowMs);
}

/** A message has left on the stream; the next one may follow. */
export function onWritten(state: State, nowMs: number, id: PollId): readonly Command[] {
  if (id.session === state.session.number) state.session.inFlight.delete(id.poll);
  return settle(state, nowMs);
}

/** The stream broke, or the coordinator ended it. Nothing that runs is stopped by that. */
export function onSessionEnded(state: State, nowMs: number, session: number): readonly Command[] {
  if (session === state.session.number) leaveCoordinator(state);
  return settle(state, nowMs);
}

/** The call failed: whether the coordinator heard it is not known. */
export function onPollFailed(state: State, nowMs: number, id: PollId): readonly Command[] {
  if (id.session !== state.session.number) return settle(state, nowMs);
  state.session.inFlight.delete(id.poll);
  sendAllAgain(state);
  if (state.isConnected) disconnect(state);
  // A hello of unknown fate is said anew: it may hold more by now.
  if (!state.session.isOpen) openSession(state);
  return settle(state, nowMs);
}

export function onEnded(state: State, nowMs: number, ref: ItemRef, ending: Ending): readonly Command[] {
  end(state, nowMs, ref, ending);
  if (ending.kind === 'return' && ending.item.reason === 'unavailable' && state.backend === 'ready') {
    state.backend = 'not-ready';
    returnQueued(state, 'unavailable');
    command(state, { kind: 'probe' });
  }
  return settle(state, nowMs);
}

export function onStored(state: State, nowMs: number, refs: readonly ItemRef[]): readonly Command[] {
  for (const ref of refs) stored(state, ref);
  return settle(state, nowMs);
}

export function onBackendReady(state: State, nowMs: number): readonly Command[] {
  state.backend = 'ready';
  state.backendDetail = '';
  return settle(state, nowMs);
}

/** The backend did not answer as one that is ready does; it is asked on. */
export function onBackendAway(state: State, nowMs: number, detail: string): readonly Command[] {
  if (state.backend === 'unknown') state.backend = 'not-ready';
  state.backendDetail = detail;
  return settle(state, nowMs);
}

/** By a signal or by order of the coordinator. The first thing said is Beat(draining). */
export function onDrain(state: State, nowMs: number): readonly Command[] {
  drain(state, nowMs);
  return settle(state, nowMs);
}

/** Called about every heartbeat interval. */
export function onTick(state: State, nowMs: number): readonly Command[] {
  listen(state, nowMs);
  if (state.isRegistered && !state.isFenced && isOutOfTouch(state.guard, nowMs, state.settings.selfFenceTimeoutMs)) {
    state.isFenced = true;
    leaveCoordinator(state);
  }
  resendOverdue(state, nowMs);
  state.isStartDue = state.untold.size > 0;
  if (state.mode.kind === 'draining' && nowMs >= state.mode.untilMs) returnStarted(state, 'drained');
  if (state.mode.kind === 'draining' && nowMs >= state.mode.giveUpAtMs) go(state, state.mode.isFinished ? 'finished' : 'given-up');
  return settle(state, nowMs);
}

/** A stream on which nothing comes any more is as good as broken. A loop that stood still itself has heard nothing, and judges nobody. */
function listen(state: State, nowMs: number): void {
  const { heartbeatIntervalMs, transport } = state.settings;
  const waitedMs = Math.min(nowMs - state.lastTickMs, heartbeatIntervalMs);
  state.lastTickMs = nowMs;
  if (transport !== 'stream' || !state.isConnected || state.session.polls === 0) return;
  state.session.quietMs += waitedMs;
  state.silence = onWaited(state.silence, waitedMs, heartbeatIntervalMs);
  if (!isTooLong(state.silence)) return;
  state.silence = onGivenUp(state.silence);
  leaveCoordinator(state);
}

function onContent(state: State, nowMs: number, reply: Extract<PollReply, { status: 'ok' }>): void {
  state.session.isOpen = true;
  state.isFenced = false;
  forget(state, reply.acknowledged);
  forget(state, reply.stale);
  // A batch that was received already has been sent again, since its acknowledgement was on the way (L27).
  if (reply.batch > state.session.receivedBatch) {
    state.session.receivedBatch = reply.batch;
    state.session.announced -= reply.assignments.length;
    for (const ref of reply.revoked) revoke(state, ref);
    for (const assignment of reply.assignments) take(state, assignment);
    for (const ref of reply.recalled) recall(state, ref);
  }
  if (reply.order === 'drain') drain(state, nowMs);
  if (reply.order === 'finished') finish(state, nowMs);
}

function drain(state: State, nowMs: number): void {
  if (state.mode.kind !== 'working') return;
  const untilMs = nowMs + state.settings.drainTimeoutMs;
  state.mode = { kind: 'draining', isFinished: false, untilMs, giveUpAtMs: untilMs + ACKNOWLEDGE_TIMEOUT_MS };
  speak(state);
  returnQueued(state, 'drained');
}

/** Every item is recorded: what runs is of no use, and what is held need not wait in the outbox for a coordinator that never comes. */
function finish(state: State, nowMs: number): void {
  if (state.mode.kind === 'left' || (state.mode.kind === 'draining' && state.mode.isFinished)) return;
  state.mode = { kind: 'draining', isFinished: true, untilMs: nowMs, giveUpAtMs: nowMs + FINISHED_TIMEOUT_MS };
  speak(state);
  returnQueued(state, 'drained');
  returnStarted(state, 'drained');
}

function noteValid(state: State, epoch: Epoch, receivedMs: number): void {
  if (epoch > state.guard.highestEpoch) command(state, { kind: 'keep-epoch', epoch });
  state.guard = onValidReply(state.guard, epoch, receivedMs);
}

/** Away from a coordinator that is deposed or silent; the next one is greeted with a hello. */
function leaveCoordinator(state: State): void {
  openSession(state);
  if (state.isConnected) disconnect(state);
}

function disconnect(state: State): void {
  state.isConnected = false;
  command(state, { kind: 'reconnect' });
}

/** What follows from the state as it is now, the same after every fact. */
function settle(state: State, nowMs: number): readonly Command[] {
  if (state.mode.kind === 'draining' && allHeld(state).length === 0) go(state, state.mode.isFinished ? 'finished' : 'drained');
  startQueued(state, nowMs);
  speak(state);
  pollWhereDue(state, nowMs);
  const commands = state.commands;
  state.commands = [];
  // To leave is the last command; facts that come after it change nothing any more.
  const isOver = state.mode.kind === 'left' && !commands.some((one) => one.kind === 'leave');
  return isOver ? [] : commands;
}

function speak(state: State): void {
  const now = workerState(state);
  const detail = now === 'not-ready' ? whyNotReady(state) : '';
  if (state.mode.kind === 'left' || (now === state.said.state && detail === state.said.detail)) return;
  state.said = { state: now, detail };
  command(state, { kind: 'say', state: now, detail });
}

function go(state: State, why: Leaving): void {
  if (state.mode.kind === 'left') return;
  state.mode = { kind: 'left' };
  command(state, { kind: 'leave', why, unacknowledged: state.counts.finished + state.counts.storing });
}
