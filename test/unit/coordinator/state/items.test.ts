import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { rowOfWorker } from '../../../../runtime/coordinator/state/item.ts';
import {
  addRow,
  endRecall,
  itemAt,
  leaveWhereItIs,
  lockItem,
  noteGivenBack,
  openLock,
  recall,
  removeRow,
  restoreRow,
  takeAway,
} from '../../../../runtime/coordinator/state/items.ts';
import { rowFor, twoRunning } from '../../../support/machine.ts';

const WORKERS = ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 }));

test('an item has one lock at a time, and it is opened by the name under which it was closed', (t) => {
  const item = itemAt(twoRunning().state, 0);
  lockItem(item, 'recording');
  t.throws(() => lockItem(item, 'returning'), { message: /one lock at a time/ });
  t.throws(() => openLock(item, 'returning'), { message: /item 0 is locked as recording, not as returning/ });
  openLock(item, 'recording');
  t.is(item.lock, null);
});

test('what is given to a worker and taken from it is counted there', (t) => {
  const { state } = twoRunning({ workers: WORKERS });
  const item = itemAt(state, 0);
  const live = addRow(state, item, rowFor('w2', 2));
  t.deepEqual([item.lastAttempt, [...mustGet(state.workers.get('w2'), 'w2').items]], [2, [0]]);
  removeRow(state, item, live);
  t.deepEqual([item.taken, [...mustGet(state.workers.get('w2'), 'w2').items]], [rowFor('w2', 2), []]);
});

test('L32: a recall ends when the row is taken away', (t) => {
  const { state } = twoRunning({ workers: WORKERS });
  const item = itemAt(state, 0);
  const live = mustGet(rowOfWorker(item, 'w1'), 'a row of w1');
  const thief = mustGet(state.workers.get('w2'), 'w2');
  recall(state, item, live, 'w2');
  t.deepEqual([...thief.awaited], [0]);
  takeAway(state, item, live, 'moving');
  t.deepEqual([live.recalledFor, live.isLeaving, thief.awaited.size], [null, true, 0]);
  noteGivenBack(live);
  leaveWhereItIs(item, live, 'moving');
  t.deepEqual([item.lock, live.isLeaving, live.isGivenBack], [null, false, false]);
  t.notThrows(() => endRecall(state, 0, live), 'one that has ended ends again');
});

test('a row that was taken runs again as started; it is its worker’s only where that waits for it', (t) => {
  const { state } = twoRunning({ handedBack: [2, 3].map((index) => ({ index, row: rowFor('w1') })) });
  restoreRow(state, itemAt(state, 2), rowFor('w1'), true);
  restoreRow(state, itemAt(state, 3), rowFor('w1'), false);
  t.deepEqual([...mustGet(state.workers.get('w1'), 'w1').items], [0, 1, 2]);
  t.true([2, 3].every((index) => rowOfWorker(itemAt(state, index), 'w1')?.isStarted === true));
});
