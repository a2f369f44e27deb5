import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { add, allHeld, drop, find, moveTo, newState, unfinished } from '../../../runtime/worker/state.ts';
import { assignment, outcome, ref, SETTINGS } from '../../support/worker-state.ts';

test('L34: what the outbox held is finished, and is to be sent', (t) => {
  const state = newState(SETTINGS, 7, [outcome(1), outcome(1, 2), outcome(3)], 0);
  checkState(state);
  t.is(state.counts.finished, 3);
  t.is(state.unsent.size, 3);
  t.is(state.guard.highestEpoch, 7);
  t.is(unfinished(state), 0);
});

test('the counts, the queue and the bytes follow an item through its stages', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  state.gathering.isStoring = true;
  add(state, ref(1), { kind: 'queued', assignment: assignment(1) });
  t.is(state.queue.size, 1);
  const held = find(state, ref(1));
  if (held === undefined) return t.fail('not held');
  for (const stage of [
    { kind: 'started', startedAtMs: 0 },
    { kind: 'storing', outcome: outcome(1) },
    { kind: 'finished', outcome: outcome(1) },
  ] as const) {
    moveTo(state, held, stage);
    checkState(state);
    t.is(state.counts[stage.kind], 1);
  }
  t.is(state.outcomeBytes, 'line 1'.length);
  drop(state, held);
  checkState(state);
  t.deepEqual(allHeld(state), []);
  t.is(state.outcomeBytes, 0);
});

test('the same pair is held once', (t) => {
  const state = newState(SETTINGS, 0, [outcome(1)], 0);
  t.throws(() => add(state, ref(1), { kind: 'queued', assignment: assignment(1) }), { message: /one held item/ });
});

test('checkState finds a count that is wrong', (t) => {
  const state = newState(SETTINGS, 0, [outcome(1)], 0);
  state.counts.queued += 1;
  t.throws(() => checkState(state), { message: /count of queued/ });
});
