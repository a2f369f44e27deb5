import type { Command } from '../../runtime/worker/commands.ts';
import { onKnownGood, onReadiness } from '../../runtime/worker/machine.ts';
import type { State } from '../../runtime/worker/state.ts';

/** What an endpoint answers that the worker has asked how it is. */
export function answerAsked(
  state: State,
  nowMs: number,
  endpoint: number,
  how: Command['kind'] | undefined,
  isReady: boolean,
): readonly Command[] {
  if (how === 'ask') return onReadiness(state, nowMs, endpoint, isReady ? null : 'loading');
  return onKnownGood(state, nowMs, endpoint, isReady ? { kind: 'answered' } : { kind: 'refused', detail: '' });
}
