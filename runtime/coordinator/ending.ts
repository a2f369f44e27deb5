import { command } from './mirror.ts';
import type { State } from './state.ts';

/** How long a finished run's coordinator stays to tell its workers so. */
const FAREWELL_MS = 5_000;

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
  const { phase, supply } = state;
  if (phase.kind === 'running' && supply.items !== null && state.done + state.failed === supply.items) {
    state.phase = { kind: 'finishing' };
    command(state, { kind: 'finish', items: supply.items });
  }
  if (phase.kind === 'pausing' && phase.isRecorded && (isIdle(state) || nowMs >= phase.untilMs)) stop(state, 'paused', phase.reason);
  if (phase.kind === 'finished' && (hasNobody(state) || nowMs >= phase.untilMs)) stop(state, 'completed', '');
}

/** No worker is connected that still has to hand something over. */
function isIdle(state: State): boolean {
  if (!hasNobody(state) || state.claims !== null) return false;
  for (const item of state.items.values()) if (item.rows.length > 0 || item.lock !== null) return false;
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
  state.phase = { kind: 'finished', untilMs: nowMs + FAREWELL_MS };
}

function stop(state: State, outcome: 'completed' | 'paused', reason: string): void {
  state.phase = { kind: 'stopped' };
  const { epoch, done, failed } = state;
  command(state, { kind: 'emit', event: { kind: 'run_finished', epoch, state: outcome, reason, done, failed } });
  command(state, { kind: 'stop', outcome });
}
