import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { takeCommands } from '../../../../runtime/coordinator/state/commands.ts';
import { itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { acknowledge, giveStale, handBack, handBackAll, record } from '../../../../runtime/coordinator/state/rows.ts';
import { outcomeOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';

test('L19: a row that is being recorded is locked until the ledger has answered', (t) => {
  const { state } = twoRunning();
  const item = itemAt(state, 0);
  const outcome = outcomeOf(ref(0));
  record(state, 'w1', item, outcome);
  t.is(item.lock, 'recording');
  t.deepEqual(takeCommands(state), [{ kind: 'record', recordings: [{ worker: 'w1', outcome }] }]);
  t.throws(() => handBack(state, item, mustGet(item.rows[0], 'row'), 'failed', 0));
});

test('L12: a hand-back names the row, its reason and its delay, and locks it', (t) => {
  const { state } = twoRunning();
  const item = itemAt(state, 1);
  handBack(state, item, mustGet(item.rows[0], 'row'), 'throttled', 700);
  t.deepEqual(takeCommands(state), [
    { kind: 'hand-back', returns: [{ index: 1, row: rowFor('w1'), restores: 0, reason: 'throttled', delayMs: 700 }] },
  ]);
  t.is(itemAt(state, 1).lock, 'returning');
});

test('all rows of a lost worker go back in one request, uncounted; of none there is no request', (t) => {
  const { state } = twoRunning();
  handBackAll(state, 'w1', [], 'lost');
  t.deepEqual(takeCommands(state), []);
  handBackAll(state, 'w1', [itemAt(state, 0), itemAt(state, 1)], 'lost');
  const [command, ...others] = takeCommands(state);
  t.deepEqual(others, []);
  t.like(command, {
    kind: 'hand-back',
    returns: [
      { index: 0, reason: 'lost' },
      { index: 1, reason: 'lost' },
    ],
  });
});

test('what a worker may forget is named by index, attempt and epoch alone; an unknown worker hears nothing', (t) => {
  const { state } = twoRunning();
  acknowledge(state, 'w1', outcomeOf(ref(0)));
  giveStale(state, 'w1', outcomeOf(ref(1)));
  acknowledge(state, 'unknown', ref(0));
  t.deepEqual([state.workers.get('w1')?.acknowledged, state.workers.get('w1')?.stale], [[ref(0)], [ref(1)]]);
  t.false(state.workers.has('unknown'));
});
