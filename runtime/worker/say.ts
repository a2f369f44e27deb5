import { oneLine } from '../model/detail.ts';
import type { WorkerState } from '../model/session.ts';
import { isClosed, outageOf } from './endpoint.ts';
import { command, type State } from './state.ts';

/** What the worker says of itself in its beats. Pure. */

export function workerState(state: State): WorkerState {
  if (state.mode.kind !== 'working') return 'draining';
  const isUnasked = state.endpoints.every(({ breaker }) => breaker.kind === 'unknown' && breaker.outage.tries === 0);
  if (isUnasked || !state.isRegistered) return 'init';
  return state.endpoints.some(isClosed) && !state.isFenced ? 'ready' : 'not-ready';
}

/** For people, since only the worker knows it. Of two reasons the one that somebody can mend. */
export function whyNotReady(state: State): string {
  if (state.endpoints.some(isClosed)) return 'no coordinator answers';
  const away = awayDetails(state);
  return oneLine(away === '' ? 'waiting for the backend' : `waiting for ${away}`);
}

/** Of each endpoint that is away, why. */
function awayDetails({ endpoints }: State): string {
  const details = endpoints.flatMap((endpoint) => outageOf(endpoint)?.detail || []);
  return [...new Set(details)].join('; ');
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
  if (now === 'not-ready') return whyNotReady(state);
  if (now !== 'ready') return '';
  if (state.shortage !== null) return oneLine(`keeps its results in memory: ${state.shortage}`);
  // Works, with some of its endpoints alone.
  const away = awayDetails(state);
  return away === '' ? '' : oneLine(`without ${away}`);
}
