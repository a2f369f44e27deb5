import test from 'ava';
import { addClaimed, itemAt, lockFresh, lockItem, startItem, takeAway } from '../../../../runtime/coordinator/state/items.ts';
import { ref, rowFor, twoRunning } from '../../../support/machine.ts';

/** Items 4 to 6 are granted to w1, and 5 is looked at as a whole. */
function granted(): ReturnType<typeof twoRunning>['state'] {
  const { state } = twoRunning();
  // What runs already has objects.
  state.items.all();
  addClaimed(state, 4, 3, rowFor('w1'));
  return state;
}

test('a granted item has no object until it is asked for as a whole, and is the same item then', (t) => {
  const { items } = granted();
  t.is(items.fresh.size, 3);
  const copy = items.copy(5);
  t.is(items.fresh.size, 3);
  const item = items.get(5);
  t.deepEqual(item, copy);
  t.is(items.get(5), item);
  t.deepEqual([items.fresh.size, items.size, items.has(5), items.fresh.claimOf(5)], [2, 5, true, undefined]);
});

test('what is known of a fresh item is known of its object: that it has started and since when, and that it is being recorded', (t) => {
  const { state } = twoRunning();
  addClaimed(state, 4, 2, rowFor('w1'));
  state.nowMs += 700;
  t.false(itemAt(state, 5).rows[0]?.isStarted ?? true);
  startItem(state, 'w1', ref(4));
  t.true(lockFresh(state, 4));
  t.false(lockFresh(state, 4));
  t.like(itemAt(state, 4), { lock: 'recording', lastAttempt: 1, taken: rowFor('w1') });
  t.like(itemAt(state, 4).rows[0], { isStarted: true, sinceMs: state.nowMs });
  t.like(itemAt(state, 5).rows[0], { isStarted: false, sinceMs: state.nowMs - 700 });
});

test('whose row it is, and whether it may still be sent, is the same for both kinds', (t) => {
  const state = granted();
  const { items } = state;
  const asked = (index: number): readonly unknown[] => [
    items.rowOf(index, 'w1'),
    items.rowOf(index, 'w2'),
    items.claimOf(index, 'w1', ref(index)),
    items.claimOf(index, 'w1', { ...ref(index), attempt: 2 }),
    items.isLocked(index),
  ];
  const fresh = asked(5);
  items.get(5);
  t.deepEqual(asked(5), fresh);
  t.deepEqual(fresh, [rowFor('w1'), undefined, 'active', null, false]);
});

test('L28: a row that is being taken away is still its row, and is not to be sent', (t) => {
  const state = granted();
  const item = itemAt(state, 5);
  takeAway(state, item, item.rows[0] as (typeof item.rows)[0], 'returning');
  const { items } = state;
  t.deepEqual([items.claimOf(5, 'w1', ref(5)), items.isLocked(5)], ['leaving', true]);
});

test('all of them, or copies of all of them, are each item once', (t) => {
  const state = granted();
  lockItem(itemAt(state, 6), 'moving');
  const indexes = (): number[] => [...state.items.copies()].map(([index]) => index).toSorted((a, b) => a - b);
  t.deepEqual(indexes(), [0, 1, 4, 5, 6]);
  t.is(state.items.fresh.size, 2);
  t.deepEqual(
    state.items
      .all()
      .map(({ index }) => index)
      .toSorted((a, b) => a - b),
    indexes(),
  );
  t.is(state.items.fresh.size, 0);
});
