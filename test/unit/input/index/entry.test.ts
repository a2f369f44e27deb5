import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { ENTRY_BYTES, isInvalidAt, lineNumberAt, readEntry, writeEntry } from '../../../../runtime/input/index/entry.ts';

test('an entry reads as it was written, over the whole range of its fields', (t) => {
  const entry = fc.record({
    offset: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    length: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    lineNumber: fc.integer({ min: 1, max: 2 ** 40 - 1 }),
    reasonAt: fc.option(fc.integer({ min: 0, max: 2 ** 40 - 2 })),
    checksum: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  });
  fc.assert(
    fc.property(entry, fc.integer({ min: 0, max: 3 }), (value, at) => {
      const bytes = Buffer.alloc(4 * ENTRY_BYTES);
      writeEntry(bytes, at * ENTRY_BYTES, value);
      t.deepEqual(readEntry(bytes, at * ENTRY_BYTES), value);
      t.is(isInvalidAt(bytes, at * ENTRY_BYTES), value.reasonAt !== null);
      t.is(lineNumberAt(bytes, at * ENTRY_BYTES), value.lineNumber);
      bytes.fill(0, at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES);
      t.true(bytes.every((byte) => byte === 0));
    }),
  );
  t.pass();
});

test('the length of a line of 4 GiB and more is said to be 2^32 - 1', (t) => {
  const bytes = Buffer.alloc(ENTRY_BYTES);
  writeEntry(bytes, 0, { offset: 0, length: 5 * 2 ** 30, lineNumber: 1, reasonAt: 0, checksum: 0 });
  t.is(readEntry(bytes, 0).length, 2 ** 32 - 1);
});
