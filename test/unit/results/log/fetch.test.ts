import test from 'ava';
import fc from 'fast-check';
import { planReads } from '../../../../runtime/results/log/fetch.ts';
import type { Location } from '../../../../runtime/results/log/locator.ts';

function location(epoch: number, offset: number, lineBytes: number, index = offset): Location {
  return { index, attempt: 1, epoch, offset, lineBytes, kind: 'result' };
}

test('neighbours are read at once, in the order of the log; far ones and other segments apart', (t) => {
  const ranges = planReads([location(2, 0, 76), location(1, 90_000, 10), location(1, 200, 76), location(1, 64, 100)]);
  t.deepEqual(
    ranges.map(({ epoch, start, end, locations }) => [epoch, start, end, locations.length]),
    [
      [1, 64, 300, 2],
      [1, 90_000, 90_034, 1],
      [2, 0, 100, 1],
    ],
  );
});

test('a read is bounded, however many neighbours there are; a single longer frame is read whole', (t) => {
  const MiB = 2 ** 20;
  const ranges = planReads([location(1, 0, 3 * MiB), location(1, 3 * MiB + 24, 3 * MiB), location(1, 6 * MiB + 48, 9 * MiB)]);
  t.deepEqual(
    ranges.map(({ start, end }) => end - start),
    [3 * MiB + 24, 3 * MiB + 24, 9 * MiB + 24],
  );
});

test('every frame is in exactly one range, and within it', (t) => {
  const frames = fc.array(fc.tuple(fc.nat(3), fc.nat(10_000), fc.nat(5000)), { maxLength: 100 });
  const order = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(frames, order, (sizes, keys) => {
      let offset = 0;
      const inLog = sizes.map(([epoch, gap, bytes], index) => {
        const one = location(epoch, offset + gap, bytes, index);
        offset += gap + 24 + bytes;
        return { one, key: keys.next().value };
      });
      const locations = inLog.sort((a, b) => a.key - b.key).map(({ one }) => one);
      const ranges = planReads(locations);
      t.is(
        ranges.reduce((sum, range) => sum + range.locations.length, 0),
        locations.length,
      );
      for (const range of ranges) {
        for (const one of range.locations) {
          t.true(one.epoch === range.epoch && one.offset >= range.start && one.offset + 24 + one.lineBytes <= range.end);
        }
      }
    }),
  );
});
