import test from 'ava';
import fc from 'fast-check';
import { DenseSet } from '../../../runtime/base/dense-set.ts';

const key = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 1_000, max: 1_050 }),
  fc.integer({ min: 2 ** 32 - 40, max: 2 ** 32 - 1 }),
);
const change = fc.record({ key, isAdded: fc.boolean() });

test('it holds what a Set would, at both ends of the numbers that it takes', (t) => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), fc.nat(20), (changes, count) => {
      const [dense, set] = [new DenseSet(), new Set<number>()];
      for (const one of changes) {
        if (one.isAdded) {
          dense.add(one.key);
          set.add(one.key);
        } else t.is(dense.delete(one.key), set.delete(one.key));
        t.deepEqual([dense.size, dense.has(one.key)], [set.size, set.has(one.key)]);
      }
      t.deepEqual(
        [...dense].sort((a, b) => a - b),
        [...set].sort((a, b) => a - b),
      );
      t.deepEqual(dense.first(count), [...dense].slice(0, count));
      dense.clear();
      t.deepEqual([dense.size, ...dense], [0]);
    }),
  );
});

test('numbers that came in their order are met in it', (t) => {
  const dense = new DenseSet();
  const numbers = [0, 31, 32, 63, 1_023, 1_024, 5_000];
  for (const number of numbers) dense.add(number);
  t.deepEqual([...dense], numbers);
});

test('an iteration meets what is taken out and put in meanwhile', (t) => {
  const dense = new DenseSet();
  for (const n of [0, 1, 2, 5_000]) dense.add(n);
  const met: number[] = [];
  for (const index of dense) {
    met.push(index);
    if (index === 0) dense.delete(1);
    if (index === 2) {
      for (const gone of [0, 2, 5_000]) dense.delete(gone);
      dense.add(3);
    }
  }
  t.deepEqual(met, [0, 2, 3]);
});
