import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { PART_ITEMS, type PackedPart, packTallies, partsOf } from '../../../../runtime/ledger/redis/packed-reopening.ts';

function indexesOf(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32LE(n * 4));
}

const listed = (parts: readonly PackedPart[]) => parts.map(({ pending, own }) => [indexesOf(pending), indexesOf(own)]);
const span = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

test('a reopening has at least one part, and no part is above the bound of a script', (t) => {
  t.deepEqual(listed(partsOf({ pending: [], own: [] })), [[[], []]]);
  t.deepEqual(listed(partsOf({ pending: [5, 7], own: [6] })), [[[5, 7], [6]]]);
  t.is(partsOf({ pending: span(0, PART_ITEMS), own: [] }).length, 1);
  t.deepEqual(listed(partsOf({ pending: span(0, PART_ITEMS + 1), own: span(9_000, PART_ITEMS) })), [
    [span(0, PART_ITEMS), []],
    [[PART_ITEMS], span(9_000, PART_ITEMS - 1)],
    [[], [9_000 + PART_ITEMS - 1]],
  ]);
});

test('an item is named once; in both lists it is the coordinator’s own', (t) => {
  t.deepEqual(listed(partsOf({ pending: [1, 2, 1, 3], own: [2, 2] })), [[[1, 3], [2]]]);
  t.throws(() => partsOf({ pending: [2 ** 32], own: [] }), { instanceOf: AssertionFailed });
});

test('a tally is four numbers of 32 bits', (t) => {
  t.deepEqual(indexesOf(packTallies([{ epoch: 1, count: 2, low: 0xffffffff, high: 4 }])), [1, 2, 0xffffffff, 4]);
});
