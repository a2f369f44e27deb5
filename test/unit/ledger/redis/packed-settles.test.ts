import test from 'ava';
import { NamesTable } from '../../../../runtime/ledger/redis/names-table.ts';
import { packSegments, segmentsOf, verdictsOf } from '../../../../runtime/ledger/redis/packed-settles.ts';
import { NO_TALLY, plusOutcome } from '../../../../runtime/model/tally.ts';
import { row } from '../../../support/ledger-start.ts';

const of = (index: number, worker = 'w1', isResult = true, attempt = 1) => ({ index, row: row(worker, attempt), isResult });

test('settlements of one row’s kind share a segment for each word of 32 items, in whatever order they come', (t) => {
  const segments = segmentsOf([of(31), of(33), of(0), of(32), of(1, 'w2'), of(2, 'w1', false), of(3, 'w1', true, 2)]);
  t.deepEqual(
    segments.map(({ word, mask, first }) => [word, mask >>> 0, first.row.worker, first.row.attempt, first.isResult]),
    [
      [0, 0x8000_0001, 'w1', 1, true],
      [1, 0xc000_0000, 'w1', 1, true],
      [0, 0x4000_0000, 'w2', 1, true],
      [0, 0x2000_0000, 'w1', 1, false],
      [0, 0x1000_0000, 'w1', 2, true],
    ],
  );
});

test('L39: a segment has the hash of all its outcomes, as the tally has it', (t) => {
  const [segment] = segmentsOf([of(4), of(5), of(9)]);
  const tally = [4, 5, 9].reduce((sum, index) => plusOutcome(sum, { index, attempt: 1 }), NO_TALLY);
  t.deepEqual([(segment?.low ?? 0) >>> 0, (segment?.high ?? 0) >>> 0], [tally.low, tally.high]);
});

test('an item that occurs twice is judged in the order of the request: nothing is put together', (t) => {
  const segments = segmentsOf([of(6, 'w1', false), of(5), of(5, 'w1', false)]);
  t.deepEqual(
    segments.map(({ first }) => [first.index, first.isResult]),
    [
      [6, false],
      [5, true],
      [5, false],
    ],
  );
});

test('a segment takes 27 bytes', (t) => {
  const names = new NamesTable();
  const bytes = packSegments(segmentsOf([of(40), of(41)]), names);
  t.is(bytes.length, 27);
  t.deepEqual([bytes.readUInt16LE(0), bytes.readUInt8(2), bytes.readUInt32LE(3), bytes.readUInt32LE(7)], [1, 1, 1, 0]);
  t.deepEqual([bytes.readUInt32LE(11), bytes.readUInt32LE(15)], [1, 0x00c0_0000]);
  t.deepEqual(names.all, ['w1']);
});

test('a verdict stands where its settlement stood', (t) => {
  const settles = [of(31), of(64), of(0), of(7)];
  t.deepEqual(verdictsOf(4, segmentsOf(settles), ['ras', 1]), ['stale', 'accepted', 'recorded', 'accepted']);
  t.throws(() => verdictsOf(4, segmentsOf(settles), ['xyz', 1]));
});
