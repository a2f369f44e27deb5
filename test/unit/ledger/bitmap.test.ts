import test from 'ava';
import fc from 'fast-check';
import { countBits, hasBit, lastBit, overlaps, PAGE_BYTES, PAGE_ITEMS, pageOf, setBit } from '../../../runtime/ledger/bitmap.ts';

const indexesOfPage = (page: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.integer({ min: page * PAGE_ITEMS, max: (page + 1) * PAGE_ITEMS - 1 }), { maxLength: 60 });

function pageWith(indexes: readonly number[]): Uint8Array {
  const page = new Uint8Array(PAGE_BYTES);
  for (const index of indexes) setBit(page, index);
  return page;
}

test('a page of 512 bytes holds 4096 items', (t) => {
  t.is(PAGE_ITEMS, 4_096);
  t.deepEqual([0, 4_095, 4_096, 8_191, 8_192].map(pageOf), [0, 0, 1, 1, 2]);
});

test('exactly the bits that were set are set, counted, and the last one is known', (t) => {
  fc.assert(
    fc.property(indexesOfPage(1_048_575), (indexes) => {
      const page = pageWith(indexes);
      const wanted = new Set(indexes);
      for (let index = 1_048_575 * PAGE_ITEMS; index < 1_048_576 * PAGE_ITEMS; index += 1) {
        if (hasBit(page, index) !== wanted.has(index)) return false;
      }
      return countBits(page) === wanted.size && lastBit(page, 1_048_575) === Math.max(-1, ...indexes);
    }),
    { numRuns: 50 },
  );
  t.is(lastBit(new Uint8Array(PAGE_BYTES), 7), -1);
});

test('pages overlap where an item is in both', (t) => {
  t.true(overlaps(pageWith([1, 4_095]), pageWith([4_095])));
  t.false(overlaps(pageWith([1, 4_094]), pageWith([0, 2, 4_095])));
});
