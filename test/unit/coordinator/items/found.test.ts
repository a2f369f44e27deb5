import test from 'ava';
import { giveRow } from '../../../../runtime/coordinator/dispatch/steal.ts';
import { takeFound as take } from '../../../../runtime/coordinator/items/found.ts';
import { judgeReopened } from '../../../../runtime/coordinator/items/judge.ts';
import { takeCommands } from '../../../../runtime/coordinator/state/commands.ts';
import { addWaiting, itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import { unqueue } from '../../../../runtime/coordinator/state/queues.ts';
import type { State } from '../../../../runtime/coordinator/state/state.ts';
import type { Found } from '../../../../runtime/ledger/contract.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { heldItem, kinds, only, outcomeOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH } from '../../../support/machine-start.ts';

/** As part of a fact: what waited for the item is judged after it. */
function takeFound(state: State, found: Found): void {
  take(state, found);
  judgeReopened(state);
}

test('L7: the row that the ledger has replaces the one of the mirror', (t) => {
  const { state } = twoRunning({ workers: ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 })) });
  takeFound(state, {
    index: 0,
    state: 'running',
    row: rowFor('w2', 2),
    second: null,
    lastAttempt: 2,
    faults: { ...NO_FAULTS, failures: 1 },
  });
  t.like(itemAt(state, 0), { rows: [{ row: rowFor('w2', 2) }], faults: { failures: 1 } });
  t.deepEqual([[...(state.workers.get('w1')?.items ?? [])], [...(state.workers.get('w2')?.items ?? [])]], [[1], [0]]);
});

test('L7: a row that the mirror knows already keeps its lock', (t) => {
  const { state } = twoRunning();
  lockItem(itemAt(state, 0), 'recording');
  takeFound(state, { index: 0, state: 'running', row: rowFor('w1'), second: null, lastAttempt: 1, faults: NO_FAULTS });
  t.is(itemAt(state, 0).lock, 'recording');
});

test('an item that turns out to be terminal leaves the mirror and every queue', (t) => {
  const { state } = twoRunning({
    handedBack: [
      { index: 5, row: rowFor('w1') },
      { index: 6, row: rowFor('w1'), delayMs: 9 },
    ],
  });
  takeFound(state, { index: 5, state: 'done' });
  takeFound(state, { index: 6, state: 'failed' });
  t.deepEqual([state.items.has(5), state.items.has(6), state.ready, state.delayed], [false, false, [], []]);
});

test('what waited for the item is judged by the row that was found', (t) => {
  const { state } = twoRunning();
  const item = itemAt(state, 0);
  lockItem(item, 'returning');
  addWaiting(item, { worker: 'w1', outcome: outcomeOf(ref(0)) });
  takeFound(state, { index: 0, state: 'handed-back', row: rowFor('w1'), lastAttempt: 1, faults: NO_FAULTS });
  t.deepEqual(kinds(takeCommands(state)), ['record'], 'L15: the row that was taken last may still settle');
});

test('L31: a row found of a worker that has gone goes back, and does not bring the worker back', (t) => {
  const { state } = twoRunning();
  takeFound(state, { index: 7, state: 'running', row: rowFor('w9'), second: null, lastAttempt: 1, faults: NO_FAULTS });
  const { returns } = only(takeCommands(state), 'hand-back');
  t.deepEqual(returns, [{ index: 7, row: rowFor('w9'), restores: 0, reason: 'lost', delayMs: 0 }]);
  t.false(state.workers.has('w9'));
});

test('L13: a row that runs on keeps its place among what is to be sent when the other is found to be gone', (t) => {
  const { state } = twoRunning({ workers: ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 })) });
  const item = itemAt(state, 0);
  lockItem(item, 'moving');
  giveRow(state, item, 'w2', 2);
  takeCommands(state);
  // What the second asking of a hand-back answers whose first answer was lost.
  takeFound(state, { index: 0, state: 'running', row: rowFor('w2', 2), second: null, lastAttempt: 2, faults: NO_FAULTS });
  t.deepEqual(
    item.rows.map(({ row }) => row),
    [rowFor('w2', 2)],
  );
  t.deepEqual([...(state.workers.get('w2')?.unread ?? [])], [0], 'else its worker would never hear of it');
  t.deepEqual([...(state.workers.get('w1')?.items ?? [])], [1]);
});

test('L8: a row that a claim has left late, and nobody knew, is sent to the worker that it names', (t) => {
  const machine = twoRunning();
  machine.supply(10);
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  const found = { index: 2, state: 'running', row: { ...rowFor('w1'), claimEpoch: EPOCH }, second: null, lastAttempt: 1 } as const;
  takeFound(machine.state, { ...found, faults: NO_FAULTS });
  t.true(machine.state.workers.get('w1')?.unread.has(2));
});

test('L8: a claim says nothing of what lies beyond the ranges that it asked for', (t) => {
  const machine = twoRunning({ handedBack: [{ index: 5, row: rowFor('w1') }] });
  machine.state.claims = [{ worker: 'w1', picks: [{ index: 5, lastAttempt: 1 }] }];
  unqueue(machine.state, new Set([5]));
  lockItem(itemAt(machine.state, 5), 'claiming');
  machine.tell({ kind: 'claimed', results: [{ kind: 'claimed', granted: [{ from: 5, count: 1, attempt: 2 }], found: [], cursor: 9 }] });
  t.is(machine.state.cursor, 6, 'what stands at 6 to 8 is found by the next claim from there');
});
