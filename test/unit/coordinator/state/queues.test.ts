import test from 'ava';
import { itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import { keepReady, queueItem, releaseClaim, releaseDue, unqueue } from '../../../../runtime/coordinator/state/queues.ts';
import { rowFor, twoRunning } from '../../../support/machine.ts';

test('an item that was handed back is due after its delay', (t) => {
  const { state } = twoRunning({ handedBack: [{ index: 2, row: rowFor('w1'), delayMs: 400 }] });
  t.deepEqual([itemAt(state, 2).dueAtMs - state.nowMs, state.delayed, state.ready], [400, [2], []]);
  queueItem(state, itemAt(state, 1));
  t.deepEqual(state.ready, [1]);
});

test('what is due may be claimed, in its order; what is recorded meanwhile has left the queue', (t) => {
  const handedBack = [2, 3, 4].map((index) => ({ index, row: rowFor('w1'), delayMs: index * 100 }));
  const { state } = twoRunning({ handedBack });
  state.nowMs += 300;
  releaseDue(state);
  t.deepEqual([state.ready, state.delayed], [[2, 3], [4]]);
});

test('what was picked and not claimed is at the end of its queue again, and its lock is open', (t) => {
  const { state } = twoRunning({ handedBack: [2, 3].map((index) => ({ index, row: rowFor('w1') })) });
  lockItem(itemAt(state, 2), 'claiming');
  keepReady(state, [3], []);
  releaseClaim(state, itemAt(state, 2));
  t.deepEqual([state.ready, itemAt(state, 2).lock], [[3, 2], null]);
});

test('what is not to be claimed now stands in none of the queues', (t) => {
  const handedBack = [2, 3].map((index) => ({ index, row: rowFor('w1'), delayMs: index === 3 ? 100 : 0 }));
  const { state } = twoRunning({ handedBack });
  keepReady(state, [], [2]);
  unqueue(state, new Set([2, 3]));
  t.deepEqual([state.ready, state.delayed, state.alone], [[], [], []]);
});
