import { assertNever, mustGet } from '../base/assert.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { Epoch, ItemRef } from '../model/row.ts';
import type { BeatReply, Poll, PollReply } from '../model/session.ts';
import type { ToldTiming } from '../model/timing.ts';
import type { Command, Ended, KnownGoodEnd, Leaving } from './commands.ts';
import { drainForGood, followHint, followOrder, giveUpWhereAway, isCoordinatorGone, isOver, returnUnfit, tellLeaving } from './drain.ts';
import { askEndpoints, end, openWhereAllFailed, takeKnownGood, takeReadiness } from './execution.ts';
import { isTooLong, newSilence, onGivenUp, onHeard, onWaited } from './heartbeat/silence.ts';
import { forget, recall, revoke, startQueued, stored, take } from './holding.ts';
import { openSession, pollWhereDue, resendOverdue, sayLast, sendAllAgain, tellWhatWaits } from './polling.ts';
import { speak } from './say.ts';
import { isDeposed, isOutOfTouch, onValidReply } from './session/epoch-guard.ts';
import { onArrived } from './session/round-time.ts';
import { command, type State } from './state.ts';
import { storeWhereDue } from './storing.ts';

/**
 * The worker's rules (SPEC.md). Each handler takes a fact into the state and answers what is to be done now; the loop does it, in the
 * order given, and comes back with the facts that follow from it. Nothing here waits, and nothing knows the time but by `nowMs`.
 */

/** For the goodbye of a worker that has all the time. */
const LEAVE_MS = 5_000;
/** One whose machine is gone says goodbye only if that is at once. */
const GONE_MS = 1_000;

/** Names a poll: one of an older session is ignored (L26). */
export type PollId = Pick<Poll, 'session' | 'poll'>;

export function onStart(state: State, nowMs: number): readonly Command[] {
  command(state, { kind: 'reconnect' });
  return settle(state, nowMs);
}

/** A coordinator was found; the next poll goes there. */
export function onConnected(state: State, nowMs: number): readonly Command[] {
  state.isConnected = true;
  return settle(state, nowMs);
}

/** A beat was answered. The first one has registered the worker, so that polls may begin. */
export function onBeat(state: State, nowMs: number, beat: BeatReply & { readonly receivedMs: number }): readonly Command[] {
  if (isDeposed(state.guard, beat.epoch)) return settle(state, nowMs);
  // The beats have found a successor: the coordinator that holds the polls is deposed, and may hold them for long.
  if (beat.epoch > state.guard.highestEpoch && state.session.isOpen) leaveCoordinator(state);
  noteValid(state, beat.epoch, beat.receivedMs);
  if (beat.timing !== undefined) adoptTiming(state, beat.timing);
  state.isRegistered = true;
  if (beat.isSuperseded) go(state, 'superseded', nowMs + LEAVE_MS);
  return settle(state, nowMs);
}

/** The coordinator's times hold: what it fails and what the worker does must fit together (C12). */
function adoptTiming(state: State, { heartbeatIntervalMs, workerSelfFenceTimeoutMs: selfFenceTimeoutMs, pollWaitMs }: ToldTiming): void {
  if (heartbeatIntervalMs !== state.settings.heartbeatIntervalMs) state.silence = newSilence(heartbeatIntervalMs);
  state.settings = { ...state.settings, heartbeatIntervalMs, selfFenceTimeoutMs, pollWaitMs };
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
      go(state, 'superseded', nowMs + LEAVE_MS);
      break;
    case 'ok':
      onContent(state, nowMs, id, reply);
      break;
    default:
      assertNever(reply);
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
  // A hello of unknown fate is sent again as a new one: it may hold more by now.
  if (!state.session.isOpen) openSession(state);
  return settle(state, nowMs);
}

/** The executions that have ended in one turn of the loop: what follows from the state is found out once for all of them. */
export function onEnded(state: State, nowMs: number, ended: readonly Ended[]): readonly Command[] {
  for (const { ref, ending } of ended) end(state, nowMs, ref, ending);
  giveUpWhereAway(state, nowMs);
  return settle(state, nowMs);
}

export function onStored(state: State, nowMs: number, refs: readonly ItemRef[]): readonly Command[] {
  state.gathering.isStoring = false;
  for (const ref of refs) stored(state, ref);
  return settle(state, nowMs);
}

/** An endpoint has answered whether it is ready: `detail` says why it is not, null that it is. */
export function onReadiness(state: State, nowMs: number, endpoint: number, detail: string | null): readonly Command[] {
  takeReadiness(state, mustGet(state.endpoints[endpoint], 'an endpoint'), detail);
  if (detail !== null) giveUpWhereAway(state, nowMs);
  return settle(state, nowMs);
}

export function onKnownGood(state: State, nowMs: number, endpoint: number, ended: KnownGoodEnd): readonly Command[] {
  takeKnownGood(state, mustGet(state.endpoints[endpoint], 'an endpoint'), ended);
  if (ended.kind !== 'answered') giveUpWhereAway(state, nowMs);
  return settle(state, nowMs);
}

/** The disk with the outbox has no room for outcomes: what it lacks; null once there is room again. */
export function onDiskSpace(state: State, nowMs: number, shortage: string | null): readonly Command[] {
  state.shortage = shortage;
  return settle(state, nowMs);
}

/** By a signal, or because the worker gives up. The first thing said is Beat(draining). */
export function onDrain(state: State, nowMs: number, reason = 'told to leave'): readonly Command[] {
  drainForGood(state, nowMs, reason);
  return settle(state, nowMs);
}

/** What the hints file says about this worker now; null for nothing. */
export function onHint(state: State, nowMs: number, hint: ComputeHint | null): readonly Command[] {
  if (hint?.severity === 'gone') go(state, 'gone', nowMs + GONE_MS);
  else followHint(state, nowMs, hint);
  return settle(state, nowMs);
}

/** The time has come until which something gathered. */
export function onWake(state: State, nowMs: number): readonly Command[] {
  state.gathering.wakeAtMs = null;
  return settle(state, nowMs);
}

/** Called about every heartbeat interval. `isHostUnknown`: the name servers say that the coordinator's host does not exist. */
export function onTick(state: State, nowMs: number, isHostUnknown = false): readonly Command[] {
  const waitedMs = Math.min(nowMs - state.lastTickMs, state.settings.heartbeatIntervalMs);
  state.lastTickMs = nowMs;
  listen(state, waitedMs);
  state.aloneMs += waitedMs;
  if (state.aloneMs >= state.settings.waitCoordinatorMs) go(state, 'alone', nowMs + GONE_MS);
  if (isCoordinatorGone(state, waitedMs, isHostUnknown)) go(state, 'given-up', nowMs + GONE_MS);
  if (state.isRegistered && !state.isFenced && isOutOfTouch(state.guard, nowMs, state.settings.selfFenceTimeoutMs)) {
    state.isFenced = true;
    leaveCoordinator(state);
  }
  resendOverdue(state, nowMs);
  tellWhatWaits(state);
  const hasReturned = returnUnfit(state, nowMs);
  if (state.mode.kind === 'draining' && isOver(state.mode, nowMs, hasReturned))
    go(state, state.mode.isFinished ? 'finished' : 'given-up', state.mode.endMs);
  return settle(state, nowMs);
}

/** A stream on which nothing comes any more is as good as broken. A loop that stood still itself has heard nothing, and judges nobody. */
function listen(state: State, waitedMs: number): void {
  const { heartbeatIntervalMs, transport } = state.settings;
  if (transport !== 'stream' || !state.isConnected || state.session.polls === 0) return;
  state.session.quietMs += waitedMs;
  state.silence = onWaited(state.silence, waitedMs, heartbeatIntervalMs);
  if (!isTooLong(state.silence)) return;
  state.silence = onGivenUp(state.silence);
  leaveCoordinator(state);
}

function onContent(state: State, nowMs: number, id: PollId, reply: Extract<PollReply, { status: 'ok' }>): void {
  state.session.isOpen = true;
  state.isFenced = false;
  forget(state, reply.acknowledged);
  forget(state, reply.stale);
  // A batch that was received already has been sent again, since its acknowledgement was on the way (L27).
  if (reply.batch > state.session.receivedBatch) {
    state.session.receivedBatch = reply.batch;
    state.session.announced -= reply.assignments.length;
    state.credit.round = onArrived(state.credit.round, nowMs, reply.assignments.length);
    for (const ref of reply.revoked) revoke(state, ref);
    for (const assignment of reply.assignments) take(state, assignment);
    for (const ref of reply.recalled) recall(state, ref);
  }
  followOrder(state, nowMs, id.poll, reply);
}

function noteValid(state: State, epoch: Epoch, receivedMs: number): void {
  if (epoch > state.guard.highestEpoch) command(state, { kind: 'keep-epoch', epoch });
  state.guard = onValidReply(state.guard, epoch, receivedMs);
  state.aloneMs = 0;
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
  if (state.mode.kind === 'draining' && state.held.size === 0) {
    tellLeaving(state, nowMs);
    sayLast(state, nowMs);
    go(state, state.mode.isFinished ? 'finished' : 'drained', Math.max(nowMs + GONE_MS, Math.min(state.mode.endMs, nowMs + LEAVE_MS)));
  }
  startQueued(state, nowMs);
  openWhereAllFailed(state, nowMs);
  askEndpoints(state);
  speak(state);
  storeWhereDue(state, nowMs);
  pollWhereDue(state, nowMs);
  const commands = state.commands;
  state.commands = [];
  // To leave is the last command; facts that come after it change nothing any more.
  const hasLeft = state.mode.kind === 'left' && !commands.some((one) => one.kind === 'leave');
  return hasLeft ? [] : commands;
}

function go(state: State, why: Leaving, byMs: number): void {
  if (state.mode.kind === 'left') return;
  state.mode = { kind: 'left' };
  command(state, { kind: 'leave', why, unacknowledged: state.counts.finished + state.counts.storing, byMs });
}
