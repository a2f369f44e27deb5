import { MAX_DETAIL_CHARACTERS, type WorkerState } from '../model/session.ts';
import type { State } from './state.ts';

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

/** A text that was made elsewhere, fit for a beat: control characters are spaces, and what is too long is cut. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const short = line.length <= MAX_DETAIL_CHARACTERS ? line : `${line.slice(0, MAX_DETAIL_CHARACTERS - 1)}…`;
  // Half a character, which a cut may leave, has no place in a message.
  return short.replace(/\p{Cs}/gu, '');
}
