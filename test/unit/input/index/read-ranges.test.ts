import test from 'ava';
import fc from 'fast-check';
import { ENTRY_BYTES, type Entry, writeEntry } from '../../../../runtime/input/index/entry.ts';
import { type ReadRange, readRangesOf } from '../../../../runtime/input/index/read-ranges.ts';

const entry = (offset: number, length: number): Entry => ({ offset, length, lineNumber: 1, reasonAt: null, checksum: 0 });

function rangesOf(entries: readonly Entry[]): readonly ReadRange[] {
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES);
  for (const [n, one] of entries.entries()) writeEntry(bytes, n * ENTRY_BYTES, one);
  return readRangesOf(bytes);
}

test('neighbouring lines are read at once, line ends and a blank line between them included', (t) => {
  t.deepEqual(rangesOf([entry(0, 10), entry(11, 10), entry(25, 5)]), [{ offset: 0, length: 30, first: 0, count: 3 }]);
});

test('lines far apart, or in another order than the file, are read one by one', (t) => {
  t.deepEqual(
    rangesOf([entry(0, 10), entry(1_000_000, 10), entry(20, 10)]).map(({ offset, first, count }) => ({ offset, first, count })),
    [
      { offset: 0, first: 0, count: 1 },
      { offset: 1_000_000, first: 1, count: 1 },
      { offset: 20, first: 2, count: 1 },
    ],
  );
});

test('a span of several lines is at most 1 MiB, and every entry lies in exactly one span', (t) => {
  const gaps = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 10_000 }), length: fc.integer({ min: 0, max: 700_000 }) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(gaps, (lines) => {
      let offset = 0;
      const entries = lines.map(({ gap, length }) => {
        const at = offset;
        offset += length + gap;
        return entry(at, length);
      });
      const ranges = rangesOf(entries);
      t.is(
        ranges.reduce((sum, range) => sum + range.count, 0),
        entries.length,
      );
      for (const range of ranges) {
        t.true(range.count === 1 || range.length <= 2 ** 20);
        for (const inside of entries.slice(range.first, range.first + range.count)) {
          t.true(inside.offset >= range.offset && inside.offset + inside.length <= range.offset + range.length);
        }
      }
    }),
  );
  t.pass();
});
