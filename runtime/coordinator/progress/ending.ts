import { overLimit } from '../../model/failure-limit.ts';
import type { StopOutcome } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import type { Phase, State } from '../state/state.ts';

/** How long a finished run's coordinator stays to tell its workers so. */
const RESIGN_MS = 5_000;

/** A worker that waits for its coordinator tries every second, and one that is started by hand takes a few seconds more. */
export const FINISHED_STAY_MS = 15_000;

/** Claims stop, workers drain, and the coordinator ends when they have, or when the drain's time is over. */
export function pauseRun(state: State, nowMs: number, reason: string): void {
  if (state.phase.kind !== 'running') return;
  state.phase = { kind: 'pausing', reason, untilMs: nowMs + state.settings.drainTimeoutMs, isRecorded: false };
  command(state, { kind: 'pause', reason });
}

export function onPaused(state: State): void {
  if (state.phase.kind === 'pausing') state.phase.isRecorded = true;
}

/** Looks whether the run is over; called after every fact. */
export function checkEnd(state: State, nowMs: number): void {
  finishWhereAllSettled(state);
  const { phase } = state;
  if (phase.kind === 'running') pauseOverLimit(state, nowMs);
  if (phase.kind === 'pausing' && phase.isRecorded && (isIdle(state) || nowMs >= phase.untilMs)) stop(state, 'paused', phase.reason);
  if (phase.kind === 'finished' && isFarewellOver(state, phase, nowMs)) stop(state, 'completed', '');
}

/** A pause has nothing to wait for where no item is open any more. */
function finishWhereAllSettled(state: State): void {
  const { phase, supply } = state;
  const isGoingOn = phase.kind === 'running' || (phase.kind === 'pausing' && phase.isRecorded);
  if (!isGoingOn || supply.items === null || state.done + state.failed !== supply.items) return;
  state.phase = { kind: 'finishing' };
  command(state, { kind: 'finish', items: supply.items });
}

/** What is recorded stays; a run without an open item is finished all the same, and the index may not have been read to its end yet. */
function pauseOverLimit(state: State, nowMs: number): void {
  if (Math.max(state.supply.indexed, state.cursor) <= state.done + state.failed) return;
  const reason = overLimit(state.settings.maxFailedItems, state.failed, state.supply.items);
  if (reason !== null) pauseRun(state, nowMs, reason);
}

/** No worker is connected that still has to hand something over. */
function isIdle(state: State): boolean {
  if (!hasNobody(state) || state.claims !== null || state.items.fresh.size > 0) return false;
  for (const item of state.items.withHistory()) if (item.rows.length > 0 || item.lock !== null) return false;
  return true;
}

function hasNobody(state: State): boolean {
  return state.workers.size === 0 && state.leaving === 0;
}

export function onFinished(state: State): void {
  command(state, { kind: 'export' });
}

/** The output files stand: only now the workers hear that it is over. */
export function onExported(state: State, nowMs: number): void {
  state.phase = finished(state, nowMs);
  if (state.settings.serveAfterEnd) tellEnd(state, 'completed', '');
}

/**
 * Started again on a finished run: workers that were away at its end may still hold outcomes. They are told which of them are
 * recorded, and that the run is finished.
 */
export function answerFinished(state: State, nowMs: number): void {
  state.phase = finished(state, nowMs + FINISHED_STAY_MS);
}

function finished({ settings }: State, leastMs: number): Phase {
  const untilMs = leastMs + RESIGN_MS;
  return settings.serveAfterEnd
    ? { kind: 'finished', leastMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }
    : { kind: 'finished', leastMs, untilMs };
}

function isFarewellOver(state: State, { leastMs, untilMs }: Extract<Phase, { kind: 'finished' }>, nowMs: number): boolean {
  return nowMs >= untilMs || (nowMs >= leastMs && hasNobody(state));
}

/** Nothing has become terminal for `stallTimeout`: everything is kept, and the next start goes on. */
export function stopStalled(state: State, why: string): void {
  if (state.phase.kind === 'running') stop(state, 'stalled', why);
}

function stop(state: State, outcome: StopOutcome, reason: string): void {
  state.phase = { kind: 'stopped' };
  tellEnd(state, outcome, reason);
  command(state, { kind: 'stop', outcome, reason });
}

function tellEnd(state: State, outcome: StopOutcome, reason: string): void {
  const { epoch, done, failed } = state;
  command(state, { kind: 'emit', event: { kind: 'run_finished', epoch, state: outcome, reason, done, failed } });
}
