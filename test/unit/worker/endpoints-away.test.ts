import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { onBeat, onReadiness, onReply, onStart } from '../../../runtime/worker/machine.ts';
import { newState, type State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import {
  assignment,
  beatReply,
  ended,
  greeting,
  kinds,
  ok,
  polls,
  ref,
  SETTINGS,
  throttled,
  unreachable,
} from '../../support/worker-state.ts';

const HELLO = { session: 1, poll: 1 };

/** A worker in an open session that executes items 1 and 2 and has queued 3; poll 2 waits. */
function working(settings: Partial<typeof SETTINGS> = {}): State {
  const { state } = greeting(settings);
  const commands = onReply(state, 0, HELLO, ok({ batch: 1, assignments: [assignment(1), assignment(2), assignment(3)] }));
  checkState(state);
  if (kinds(commands).join() !== 'start,start,poll') throw new Error(`unexpected start: ${kinds(commands).join()}`);
  return state;
}

test('the server is not there: the item and all unstarted ones go back, and one item probes it once it is ready', (t) => {
  const state = working();
  const commands = onOneEnded(state, 5, ref(1), unreachable(1));
  t.deepEqual(kinds(commands), ['note-away', 'ask', 'say', 'poll']);
  t.deepEqual(
    polls(commands)[0]?.returns.map((one) => [one.index, one.reason]),
    [
      [1, 'unavailable'],
      [3, 'unavailable'],
    ],
  );
  t.is(polls(commands)[0]?.capacity, 0);
  t.deepEqual(kinds(onOneEnded(state, 6, ref(2), unreachable(2))), [], 'the endpoint is asked once at a time');
  onReadiness(state, 7, 0, null);
  const [poll] = polls(onReply(state, 8, { session: 1, poll: 2 }, ok()));
  t.like(poll, { capacity: 1 });
  onReply(state, 9, { session: 1, poll: poll?.poll ?? 0 }, ok({ batch: 2, assignments: [assignment(4)] }));
  const closed = onOneEnded(state, 10, ref(4), ended(4));
  t.like(
    closed.find(({ kind }) => kind === 'say'),
    { state: 'ready' },
  );
});

test('where every endpoint has been away for waitBackend, and fails again, the worker gives up', (t) => {
  const state = newState({ ...SETTINGS, endpoints: ['http://one:1', 'http://two:2'], waitBackendMs: 10_000 }, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  onReadiness(state, 9_999, 0, 'one');
  onReadiness(state, 9_999, 1, 'two');
  t.is(state.givenUp, null);
  onReadiness(state, 10_000, 0, 'one');
  t.regex(state.givenUp ?? '', /http:\/\/one:1: one, 2 times; http:\/\/two:2: two, 1 times/);
  t.is(state.mode.kind, 'left', 'it holds nothing');
});

test('one endpoint that works is enough', (t) => {
  const state = newState({ ...SETTINGS, endpoints: ['http://one:1', 'http://two:2'], waitBackendMs: 10_000 }, 0, [], 0);
  onStart(state, 0);
  onReadiness(state, 0, 1, null);
  onReadiness(state, 60_000, 0, 'one');
  t.is(state.givenUp, null);
});

test('an item that its server throttles for hours goes back for no longer than the worker waits, and so for its endpoint', (t) => {
  const state = working({ waitBackendMs: 10_000 });
  const [poll] = polls(onOneEnded(state, 5, ref(1), throttled(1, 900_000, 900_000)));
  t.like(poll?.returns[0], { index: 1, reason: 'throttled', delayMs: 10_000 });
  t.is(state.endpoints[0]?.limit.quietUntilMs, 10_005);
});

test('where every endpoint has only throttled for waitBackend, the worker gives up', (t) => {
  const state = working({ waitBackendMs: 10_000 });
  onOneEnded(state, 5, ref(1), ended(1));
  onOneEnded(state, 1_000, ref(2), throttled(2));
  onOneEnded(state, 10_999, ref(3), throttled(3));
  t.is(state.givenUp, null, 'counted from the first refusal after the last result');
  onReply(state, 12_500, { session: 1, poll: 2 }, ok({ batch: 2, assignments: [assignment(4)] }));
  onOneEnded(state, 13_000, ref(4), throttled(4));
  t.is(state.givenUp, 'http://one:1: http_429, 3 times in a row without a result');
  t.is(state.mode.kind, 'draining');
});
