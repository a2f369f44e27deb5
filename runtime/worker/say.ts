import { formatDuration } from '../base/config/quantity.ts';
import { oneLine } from '../model/detail.ts';
import { MAX_DETAIL_CHARACTERS, type WorkerState } from '../model/session.ts';
import { awaySinceMs } from './endpoint/away.ts';
import { isClosed, outageOf } from './endpoint/endpoint.ts';
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
  const away = oneLine(awayDetails(state));
  const again = `; tried again every few seconds${forHowLong(state)}`;
  return away === '' ? 'waiting for the backend' : `${away.slice(0, MAX_DETAIL_CHARACTERS - again.length)}${again}`;
}

/** Told in steps: each change of what a worker says is a message. */
const STEP_MS = 10_000;
const MINUTE_MS = 60_000;

function forHowLong({ endpoints, settings, lastTickMs }: State): string {
  const sinceMs = awaySinceMs(endpoints, lastTickMs) ?? lastTickMs;
  const leftMs = Math.min(settings.waitBackendMs, sinceMs + settings.waitBackendMs - lastTickMs);
  if (leftMs <= 0) return '';
  const stepMs = leftMs > 2 * MINUTE_MS ? MINUTE_MS : STEP_MS;
  return `, for up to ${formatDuration(Math.ceil(leftMs / stepMs) * stepMs)} more`;
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
