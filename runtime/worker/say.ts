import { oneLine } from '../model/detail.ts';
import type { WorkerState } from '../model/session.ts';
import { command, type State } from './state.ts';

/** What the worker says of itself in its beats. Pure. */

export function workerState(state: State): WorkerState {
  if (state.mode.kind !== 'working') return 'draining';
  if (state.backend === 'unknown' || !state.isRegistered) return 'init';
  return state.backend === 'ready' && !state.isFenced ? 'ready' : 'not-ready';
}

/** For people, since only the worker knows it. Of two reasons the one that somebody can mend. */
export function whyNotReady(state: State): string {
  if (state.backend === 'ready') return 'no coordinator answers';
  return oneLine(state.backendDetail === '' ? 'waiting for the backend' : `waiting for ${state.backendDetail}`);
}

/** Tells the beats what has changed. */
export function speak(state: State): void {
  const now = workerState(state);
  const detail = detailOf(state, now);
  if (state.mode.kind === 'left' || (now === state.said.state && detail === state.said.detail)) return;
  state.said = { state: now, detail };
  command(state, { kind: 'say', state: now, detail });
}

function detailOf(state: State, now: WorkerState): string {
  if (state.mode.kind === 'holding') return oneLine(`only holds: ${state.drain.reason}`);
  if (now === 'draining') return state.drain.reason;
  return now === 'not-ready' ? whyNotReady(state) : '';
}
