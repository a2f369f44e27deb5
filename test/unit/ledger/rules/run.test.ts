import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { bind, finish, pause, progressOf, resume } from '../../../../runtime/ledger/rules/run.ts';
import { rowsOf } from '../../../support/ledger-rows.ts';
import { SOME_PLACE } from '../../../support/ledger-start.ts';

test('L22: bind writes once', (t) => {
  t.deepEqual(bind(rowsOf({ place: null }), 3, SOME_PLACE), { reply: { kind: 'bound' }, writes: { place: SOME_PLACE } });
  t.deepEqual(bind(rowsOf(), 3, SOME_PLACE), { reply: { kind: 'bound' }, writes: null });
  const other = { ...SOME_PLACE, placeId: 'other' };
  t.deepEqual(bind(rowsOf(), 3, other), { reply: { kind: 'elsewhere', place: SOME_PLACE }, writes: null });
});

test('L16: pause and resume change the state until the run is completed', (t) => {
  t.deepEqual(pause(rowsOf(), 3, 'why').writes, { state: { kind: 'paused', reason: 'why' } });
  t.deepEqual(resume(rowsOf({ state: { kind: 'paused', reason: 'why' } }), 3).writes, { state: { kind: 'running' } });
  const completed = rowsOf({ state: { kind: 'completed' } });
  t.deepEqual(pause(completed, 3, 'why'), { reply: { kind: 'gone', state: { kind: 'completed' } }, writes: null });
  t.deepEqual(resume(completed, 3), { reply: { kind: 'gone', state: { kind: 'completed' } }, writes: null });
});

test('L16: finish counts', (t) => {
  t.deepEqual(finish(rowsOf({ head: { cursor: 3, done: 2, failed: 1 } }), 3, 3).writes, { state: { kind: 'completed' } });
  t.like(finish(rowsOf({ head: { cursor: 3, done: 2, failed: 1 } }), 3, 4), { reply: { kind: 'unfinished' }, writes: null });
  t.like(finish(rowsOf({ head: { cursor: 3, done: 2, running: 1 } }), 3, 3), { reply: { kind: 'unfinished' }, writes: null });
  t.like(finish(rowsOf({ head: { cursor: 4, done: 2, failed: 1 } }), 3, 3), { reply: { kind: 'unfinished' }, writes: null });
  t.throws(() => finish(rowsOf({ head: { cursor: 3, done: 3, running: 1 } }), 3, 3), { instanceOf: AssertionFailed });
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
  });
});
