import { assertNever } from '../base/assert.ts';
import { oneLine } from '../model/detail.ts';
import { expectedRestMs } from '../model/durations.ts';
import { type ComputeHint, earlier } from '../model/hint.ts';
import type { Epoch } from '../model/row.ts';
import type { DrainStep, DrainStepKind, PollReply } from '../model/session.ts';
import { whyAway } from './endpoint/away.ts';
import { returnFailures, returnQueued, returnStarted } from './holding.ts';
import { speak } from './say.ts';
import type { Held } from './stage.ts';
import type { State } from './state.ts';

/**
 * Who wants this worker to leave or to hold, and what it does about it: take nothing new, hand back what has not started, go on with
 * what can end in time, hand back the rest when its time is over, leave. The process ends before the deadline, so the last part of
 * the time is for handing over.
 */

/** For the last outcomes and returns to be acknowledged; of a short time at most a quarter. */
export const HAND_OVER_MS = 2_000;
const HAND_OVER_PART = 0.25;
/** Where there is no time left this much is spent all the same: what is finished is worth a second. */
export const LEAST_HAND_OVER_MS = 1_000;
/** How long a finished run's worker waits for its last acknowledgements: its coordinator stays for a few seconds. */
export const FINISHED_TIMEOUT_MS = 3_000;
/** For the goodbye after that. */
const GOODBYE_MS = 5_000;
/** A name server may be away for a moment. */
const HOST_UNKNOWN_MS = 5_000;

/** What somebody wants of this worker. */
export type Demand =
  | { readonly kind: 'hold'; readonly reason: string }
  | { readonly kind: 'drain'; readonly untilMs: number; readonly reason: string };

/** Who wants it to hold or to leave. */
export interface Drain {
  /** By a signal, or by itself. */
  own: Demand | null;
  /** By its hints file. */
  file: Demand | null;
  /** By the coordinator of that epoch. */
  ordered: { readonly epoch: Epoch; readonly demand: Demand } | null;
  /** The newest reply whose order was heard. */
  heard: { readonly session: number; readonly poll: number };
  /** Why, in one line; empty while it works. */
  reason: string;
  /** Not yet told. */
  readonly steps: DrainStep[];
  /** For how long the coordinator's host has been unknown to the name servers. */
  hostUnknownMs: number;
}

type Order = Extract<PollReply, { status: 'ok' }>;

/** By a signal, or because the worker gives up by itself; it is not withdrawn. */
export function drainForGood(state: State, nowMs: number, reason: string): void {
  state.drain.own ??= { kind: 'drain', untilMs: nowMs + state.settings.drainTimeoutMs, reason };
  follow(state, nowMs);
}

/** What the hints file says about this worker now; null for nothing. One that says gone is the machine's business (onHint). */
export function followHint(state: State, nowMs: number, hint: ComputeHint | null): void {
  const { file } = state.drain;
  if (hint === null) state.drain.file = null;
  else if (hint.severity === 'hint') state.drain.file = { kind: 'hold', reason: oneLine(hint.reason) };
  else state.drain.file = tighter(file, hint.untilMs, nowMs + state.settings.drainTimeoutMs, hint.reason);
  follow(state, nowMs);
}

/**
 * The coordinator's order, where the reply is the newest by its number: an older one may arrive late. A hold ends with any order to
 * work; a drain only under the epoch that ordered it, since a coordinator that has just begun may not know of it.
 */
export function followOrder(state: State, nowMs: number, poll: number, { order, epoch, drainMs, reason }: Order): void {
  const { drain, session, settings } = state;
  if (drain.heard.session === session.number && poll < drain.heard.poll) return;
  drain.heard = { session: session.number, poll };
  const before = drain.ordered;
  const isBinding = before?.demand.kind === 'drain' && before.epoch !== epoch;
  switch (order) {
    case 'work':
      if (!isBinding) drain.ordered = null;
      break;
    case 'hold':
      if (!isBinding) drain.ordered = { epoch, demand: { kind: 'hold', reason: oneLine(reason) } };
      break;
    case 'drain': {
      const untilMs = drainMs === 0 ? null : nowMs + drainMs;
      drain.ordered = { epoch, demand: tighter(before?.demand ?? null, untilMs, nowMs + settings.drainTimeoutMs, reason) };
      break;
    }
    case 'finished':
      return finish(state, nowMs);
    default:
      assertNever(order);
  }
  follow(state, nowMs);
}

/** A drain that was asked for before is only made shorter; where nobody gives a time, the worker's own counts from the first word. */
function tighter(before: Demand | null, untilMs: number | null, ownUntilMs: number, reason: string): Demand {
  const earliest = earlier(before?.kind === 'drain' ? before.untilMs : null, untilMs) ?? ownUntilMs;
  return { kind: 'drain', untilMs: earliest, reason: before?.kind === 'drain' ? before.reason : oneLine(reason) };
}

/** Every item is recorded: what runs is of no use, and what is held need not wait in the outbox for a coordinator that never comes. */
function finish(state: State, nowMs: number): void {
  if (state.mode.kind === 'left' || (state.mode.kind === 'draining' && state.mode.isFinished)) return;
  const giveUpAtMs = nowMs + FINISHED_TIMEOUT_MS;
  state.mode = { kind: 'draining', isFinished: true, untilMs: nowMs, giveUpAtMs, endMs: giveUpAtMs + GOODBYE_MS };
  speak(state);
  returnQueued(state, 'drained');
  returnFailures(state, 'drained');
  returnStarted(state, 'drained');
}

/** Brings the worker to where the strictest demand wants it. */
function follow(state: State, nowMs: number): void {
  const { mode } = state;
  if (mode.kind === 'left' || (mode.kind === 'draining' && mode.isFinished)) return;
  const demand = strictestDemand(state);
  if (demand === null) return resume(state);
  state.drain.reason = demand.reason;
  const wasWorking = mode.kind === 'working';
  if (demand.kind === 'hold') state.mode = { kind: 'holding' };
  else if (mode.kind !== 'draining' || mode.endMs !== demand.untilMs) state.mode = drainUntil(nowMs, demand.untilMs);
  speak(state);
  if (wasWorking) stopPulling(state, nowMs);
  if (demand.kind === 'drain') {
    returnFailures(state, 'drained');
    returnUnfit(state, nowMs);
  }
  if (wasWorking && state.counts.started > 0) tell(state, nowMs, 'finishing', state.counts.started);
}

function strictestDemand({ drain }: State): Demand | null {
  const all = [drain.own, drain.file, drain.ordered?.demand ?? null].filter((demand) => demand !== null);
  const drains = all.filter((demand) => demand.kind === 'drain');
  const [first, ...others] = drains;
  if (first === undefined) return all[0] ?? null;
  return others.reduce((earliest, other) => (other.untilMs < earliest.untilMs ? other : earliest), first);
}

function drainUntil(nowMs: number, untilMs: number): State['mode'] {
  const handOverMs = Math.min(HAND_OVER_MS, Math.max(0, untilMs - nowMs) * HAND_OVER_PART);
  const giveUpAtMs = Math.max(untilMs - handOverMs / 2, nowMs + LEAST_HAND_OVER_MS);
  return { kind: 'draining', isFinished: false, untilMs: untilMs - handOverMs, giveUpAtMs, endMs: untilMs };
}

function stopPulling(state: State, nowMs: number): void {
  tell(state, nowMs, 'stopped-pulling', 0);
  const queued = state.counts.queued;
  returnQueued(state, 'drained');
  tell(state, nowMs, 'returned-unstarted', queued);
}

function resume(state: State): void {
  if (state.mode.kind === 'working') return;
  state.mode = { kind: 'working' };
  state.drain.reason = '';
  state.drain.steps.push({ step: 'withdrawn', items: 0, remainingMs: 0, reason: '' });
}

/** What has started and is not expected to end in time goes back now, so that others begin with it; at the end all does. True where some did. */
export function returnUnfit(state: State, nowMs: number): boolean {
  const { mode } = state;
  if (mode.kind !== 'draining' || mode.isFinished) return false;
  const before = state.counts.started;
  if (before === 0) return false;
  const isUnfit = nowMs >= mode.untilMs ? (): boolean => true : (held: Held): boolean => endsAtMs(state, nowMs, held) > mode.untilMs;
  returnStarted(state, 'drained', isUnfit);
  const returned = before - state.counts.started;
  if (returned > 0) tell(state, nowMs, 'returned-started', returned);
  return returned > 0;
}

/**
 * Acknowledgements are not waited for any longer. Of a short drain that may be due in the tick that hands back what had started,
 * `hasReturned`: this is told first, and waited for until the next tick.
 */
export function isOver(mode: Extract<State['mode'], { kind: 'draining' }>, nowMs: number, hasReturned: boolean): boolean {
  return nowMs >= (hasReturned ? Math.max(mode.giveUpAtMs, mode.endMs) : mode.giveUpAtMs);
}

/** Whether nobody is left to hand anything to: a coordinator that is away, or moves, keeps its name. `waitedMs`: since the last tick. */
export function isCoordinatorGone({ mode, drain }: State, waitedMs: number, isHostUnknown: boolean): boolean {
  drain.hostUnknownMs = isHostUnknown ? drain.hostUnknownMs + waitedMs : 0;
  return mode.kind === 'draining' && drain.hostUnknownMs >= HOST_UNKNOWN_MS;
}

/** Of one of which nothing is known it is hoped. */
function endsAtMs({ durations }: State, nowMs: number, { stage }: Held): number {
  return stage.kind === 'started' ? nowMs + (expectedRestMs(durations, nowMs - stage.startedAtMs) ?? 0) : nowMs;
}

/** Nothing is held any more. */
export function tellLeaving(state: State, nowMs: number): void {
  if (state.mode.kind === 'draining' && !state.mode.isFinished && state.held.size === 0) tell(state, nowMs, 'leaving', 0);
}

function tell(state: State, nowMs: number, step: DrainStepKind, items: number): void {
  const { mode, drain } = state;
  const remainingMs = mode.kind === 'draining' ? Math.max(0, mode.endMs - nowMs) : 0;
  drain.steps.push({ step, items, remainingMs, reason: drain.reason });
}

/** Every endpoint has been away for as long as the worker waits, and one of them has just failed again. */
export function giveUpWhereAway(state: State, nowMs: number): void {
  if (state.givenUp !== null) return;
  state.givenUp = whyAway(state.endpoints, nowMs, state.settings.waitBackendMs);
  if (state.givenUp !== null) drainForGood(state, nowMs, 'the backend is not ready');
}
