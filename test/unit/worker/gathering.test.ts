import test from 'ava';
import {
  acknowledgeDueMs,
  addOutcome,
  isFull,
  MAX_GATHER_MS,
  newGathering,
  storeDueMs,
  takeOutcomes,
} from '../../../runtime/worker/gathering.ts';
import { outcome } from '../../support/worker-state.ts';

test('outcomes wait for a part of the time that ready items last, and never longer than the bound', (t) => {
  const gathering = { ...newGathering(), storedAtMs: 1_000, saidAtMs: 1_000 };
  t.is(storeDueMs(gathering, 0), 1_000, 'with nothing ready nothing waits');
  t.is(storeDueMs(gathering, 100), 1_010);
  t.is(storeDueMs(gathering, 60_000), 1_000 + MAX_GATHER_MS);
  t.is(acknowledgeDueMs(gathering, 0), 1_000);
  t.is(acknowledgeDueMs(gathering, 100), 1_020, 'the next outcomes come before');
});

test('before the first batch nothing is waited for', (t) => {
  t.true(storeDueMs(newGathering(), 60_000) < 0);
  t.true(acknowledgeDueMs(newGathering(), 60_000) < 0);
});

test('what is taken has left, and the next wait begins', (t) => {
  const gathering = newGathering();
  addOutcome(gathering, outcome(1));
  addOutcome(gathering, outcome(2));
  t.is(gathering.bytes, 2 * outcome(1).line.length);
  t.deepEqual(takeOutcomes(gathering, 7), [outcome(1), outcome(2)]);
  t.like(gathering, { outcomes: [], bytes: 0, isStoring: true, storedAtMs: 7 });
});

test('so much at most gathers, by number and by bytes', (t) => {
  const gathering = newGathering();
  addOutcome(gathering, { ...outcome(1), line: new Uint8Array(2 ** 20) });
  t.true(isFull(gathering));
  const many = newGathering();
  for (let index = 0; index < 1_023; index += 1) addOutcome(many, outcome(index));
  t.false(isFull(many));
  addOutcome(many, outcome(1_023));
  t.true(isFull(many));
});
