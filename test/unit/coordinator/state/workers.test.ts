import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { awaitNoMore, forgetRow, ownWorkers, takeOutgoing } from '../../../../runtime/coordinator/state/workers.ts';
import { assignmentOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';

test('what is taken out of those to be sent is not counted any more, and once only', (t) => {
  const w1 = mustGet(ownWorkers(twoRunning().state).get('w1'), 'w1');
  w1.outgoing.set(0, assignmentOf(ref(0)));
  w1.outgoingBytes = 6;
  takeOutgoing(w1, 0);
  takeOutgoing(w1, 0);
  t.deepEqual([w1.outgoing.size, w1.outgoingBytes], [0, 0]);
});

test('a row that is gone is forgotten by its worker in every place; of a worker that is gone there is nothing to forget', (t) => {
  const { state } = twoRunning();
  const w1 = mustGet(ownWorkers(state).get('w1'), 'w1');
  w1.unread.add(0);
  w1.unreconciled.add(0);
  forgetRow(state, 0, rowFor('w1'));
  t.deepEqual([w1.items.has(0), w1.unread.size, w1.unreconciled.size, state.dirty.has('w1')], [false, 0, 0, true]);
  t.notThrows(() => forgetRow(state, 0, rowFor('w9')));
  t.notThrows(() => awaitNoMore(state, 'w9', 0));
});
