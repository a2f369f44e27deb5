import test from 'ava';
import fc from 'fast-check';
import { type Location, Locations } from '../../../../runtime/results/log/locations.ts';
import { planReads, type ReadRange } from '../../../../runtime/results/log/read-plan.ts';

function location(epoch: number, offset: number, lineBytes: number, index = offset): Location {
  return { index, attempt: 1, epoch, offset, lineBytes, kind: 'result' };
}

function plan(...locations: readonly Location[]): readonly ReadRange[] {
  return planReads(Locations.of(locations));
}

test('neighbours are read at once, in the order of the log; far ones and other segments apart', (t) => {
  const ranges = plan(location(2, 0, 76), location(1, 90_000, 10), location(1, 200, 76), location(1, 64, 100));
  t.deepEqual(ranges, [
    {
      epoch: 1,
      start: 64,
      end: 300,
      runs: [
        { epoch: 1, first: 3, count: 1, start: 64, end: 188 },
        { epoch: 1, first: 2, count: 1, start: 200, end: 300 },
      ],
    },
    { epoch: 1, start: 90_000, end: 90_034, runs: [{ epoch: 1, first: 1, count: 1, start: 90_000, end: 90_034 }] },
    { epoch: 2, start: 0, end: 100, runs: [{ epoch: 2, first: 0, count: 1, start: 0, end: 100 }] },
  ]);
});

test('frames that follow one another and are asked for so are one run', (t) => {
  const ranges = plan(location(1, 64, 76), location(1, 164, 1), location(1, 189, 0));
  t.deepEqual(
    ranges.map(({ start, end, runs }) => [start, end, runs.map(({ first, count }) => [first, count])]),
    [[64, 213, [[0, 3]]]],
  );
});

test('a read is bounded, however many neighbours there are; a single longer frame is read whole', (t) => {
  const MiB = 2 ** 20;
  const ranges = plan(location(1, 0, 3 * MiB), location(1, 3 * MiB + 24, 3 * MiB), location(1, 6 * MiB + 48, 9 * MiB));
  t.deepEqual(
    ranges.map(({ start, end }) => end - start),
    [3 * MiB + 24, 3 * MiB + 24, 9 * MiB + 24],
  );
});

test('every record is in exactly one run, whose frames follow one another within its range', (t) => {
  const frames = fc.array(fc.tuple(fc.nat(3), fc.oneof(fc.constant(0), fc.nat(10_000)), fc.nat(5000)), { maxLength: 100 });
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
      const planned: number[] = [];
      for (const { epoch, start, end, runs } of plan(...locations)) {
        for (const run of runs) {
          let at = run.start;
          for (const [n, one] of locations.slice(run.first, run.first + run.count).entries()) {
            t.true(one.epoch === epoch && one.offset === at && at >= start && at + 24 + one.lineBytes <= end);
            at += 24 + one.lineBytes;
            planned.push(run.first + n);
          }
        }
      }
      t.deepEqual(
        planned.sort((a, b) => a - b),
        locations.map((_, n) => n),
      );
    }),
  );
});
