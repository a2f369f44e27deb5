import test from 'ava';
import { shareOut } from '../../../../runtime/coordinator/dispatch/shares.ts';
import { newWorker } from '../../../../runtime/coordinator/state/workers.ts';

/** Workers of four slots, by how many items they have and want. */
function shares(available: number, ...workers: readonly { readonly has: number; readonly free: number }[]): readonly number[] {
  const withCapacity = workers.map(({ has, free }, n) => {
    const worker = newWorker(`w${n}`, 'boot', 0, 0);
    worker.concurrency = 4;
    for (let index = 0; index < has; index += 1) worker.items.add(index);
    return { worker, free };
  });
  return shareOut(available, withCapacity).map(({ free }) => free);
}

test('where there is plenty, each gets what it has room for', (t) => {
  t.deepEqual(shares(20, { has: 0, free: 8 }, { has: 4, free: 2 }), [8, 2]);
});

test('where there is less, idle slots come before what would only wait', (t) => {
  t.deepEqual(shares(4, { has: 4, free: 4 }, { has: 0, free: 8 }), [0, 4]);
  t.deepEqual(shares(8, { has: 4, free: 4 }, { has: 0, free: 8 }), [2, 6], 'the rest is shared equally');
});

test('a tail is shared equally, and an odd item goes to the first in line', (t) => {
  t.deepEqual(shares(9, ...Array.from({ length: 3 }, () => ({ has: 0, free: 64 }))), [3, 3, 3]);
  t.deepEqual(shares(1, { has: 0, free: 1 }, { has: 0, free: 1 }), [1, 0]);
  t.deepEqual(shares(5, { has: 3, free: 1 }, { has: 0, free: 8 }, { has: 0, free: 8 }), [1, 2, 2]);
});

test('nobody gets more than there is, and nothing is left while somebody has room', (t) => {
  for (let available = 1; available < 30; available += 1) {
    const parts = shares(available, { has: 4, free: 3 }, { has: 2, free: 6 }, { has: 0, free: 20 });
    t.is(
      parts.reduce((sum, part) => sum + part, 0),
      Math.min(available, 29),
    );
  }
});
