import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { bind, finish, pause, progressOf, resume } from '../../../../runtime/ledger/rules/run.ts';
import { rowsOf } from '../../../support/ledger-rows.ts';
import { SOME_PLACE } from '../../../support/ledger-start.ts';

const BY = { epoch: 3, serial: 5 };

test('L22: bind writes once', (t) => {
  t.deepEqual(bind(rowsOf({ place: null }), 3, SOME_PLACE), { reply: { kind: 'bound' }, writes: { place: SOME_PLACE } });
  t.deepEqual(bind(rowsOf(), 3, SOME_PLACE), { reply: { kind: 'bound' }, writes: null });
  const other = { ...SOME_PLACE, placeId: 'other' };
  t.deepEqual(bind(rowsOf(), 3, other), { reply: { kind: 'elsewhere', place: SOME_PLACE }, writes: null });
});

test('L16: pause and resume change the state until the run is completed', (t) => {
  t.deepEqual(pause(rowsOf(), BY, 'why').writes, { state: { state: { kind: 'paused', reason: 'why' }, by: BY } });
  t.deepEqual(resume(rowsOf({ state: { kind: 'paused', reason: 'why' } }), BY).writes, { state: { state: { kind: 'running' }, by: BY } });
  const completed = rowsOf({ state: { kind: 'completed' } });
  t.deepEqual(pause(completed, BY, 'why'), { reply: { kind: 'gone', state: { kind: 'completed' } }, writes: null });
  t.deepEqual(resume(completed, BY), { reply: { kind: 'gone', state: { kind: 'completed' } }, writes: null });
});

test('L16: finish counts', (t) => {
  t.deepEqual(finish(rowsOf({ head: { cursor: 3, done: 2, failed: 1 } }), BY, 3).writes, {
    state: { state: { kind: 'completed' }, by: BY },
  });
  t.like(finish(rowsOf({ head: { cursor: 3, done: 2, failed: 1 } }), BY, 4), { reply: { kind: 'unfinished' }, writes: null });
  t.like(finish(rowsOf({ head: { cursor: 3, done: 2, running: 1 } }), BY, 3), { reply: { kind: 'unfinished' }, writes: null });
  t.like(finish(rowsOf({ head: { cursor: 4, done: 2, failed: 1 } }), BY, 3), { reply: { kind: 'unfinished' }, writes: null });
  t.throws(() => finish(rowsOf({ head: { cursor: 3, done: 3, running: 1 } }), BY, 3), { instanceOf: AssertionFailed });
});

test('L38: what a later request has overtaken changes nothing, and a repeated one is answered as before', (t) => {
  const over = rowsOf({ head: { cursor: 3, done: 3 }, stateBy: { epoch: 3, serial: 6 } });
  for (const reply of [pause(over, BY, 'why'), resume(over, BY), finish(over, BY, 3)]) {
    t.deepEqual(reply, { reply: { kind: 'overtaken' }, writes: null });
  }
  const again = rowsOf({ state: { kind: 'completed' }, stateBy: BY });
  t.deepEqual(pause(again, BY, 'why'), { reply: { kind: 'paused' }, writes: null });
  t.deepEqual(resume(again, BY), { reply: { kind: 'resumed' }, writes: null });
  t.deepEqual(finish(again, BY, 9), { reply: { kind: 'finished' }, writes: null });
});

test('an empty ledger’s progress is all zero, under no epoch', (t) => {
  t.deepEqual(progressOf(null, { kind: 'running' }), {
    state: { kind: 'running' },
    epoch: -1,
    cursor: 0,
    running: 0,
    handedBack: 0,
    done: 0,
    failed: 0,
    redone: 0,
  });
});
