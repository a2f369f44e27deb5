import test from 'ava';
import fc from 'fast-check';
import { DenseMap } from '../../../runtime/base/dense-map.ts';

const key = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 2 ** 32 - 40, max: 2 ** 32 - 1 }));
const change = fc.record({ key, isSet: fc.boolean() });

test('it holds what a Map would, at both ends of the numbers that it takes', (t) => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const [dense, map] = [new DenseMap<{ n: number }>(), new Map<number, { n: number }>()];
      for (const [n, one] of changes.entries()) {
        if (one.isSet) {
          dense.set(one.key, { n });
          map.set(one.key, { n });
        } else t.is(dense.delete(one.key), map.delete(one.key));
        t.is(dense.size, map.size);
        t.deepEqual([dense.get(one.key), dense.has(one.key)], [map.get(one.key), map.has(one.key)]);
      }
      const ascending = [...map].sort(([a], [b]) => a - b);
      t.deepEqual(
        [...dense].sort(([a], [b]) => a - b),
        ascending,
      );
      t.deepEqual(
        [...dense.keys()].sort((a, b) => a - b),
        ascending.map(([index]) => index),
      );
      t.deepEqual(
        [...dense.values()],
        [...dense].map(([, value]) => value),
      );
    }),
  );
});

test('an iteration meets what is taken out and put in meanwhile', (t) => {
  const dense = new DenseMap<{ n: number }>();
  for (const n of [0, 1, 2, 1_000]) dense.set(n, { n });
  const met: number[] = [];
  for (const [index] of dense) {
    met.push(index);
    if (index === 0) dense.delete(1);
    if (index === 2) {
      for (const gone of [0, 2, 1_000]) dense.delete(gone);
      dense.set(3, { n: 3 });
    }
  }
  t.deepEqual(met, [0, 2, 3]);
});
