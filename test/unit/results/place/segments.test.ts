import test from 'ava';
import type { EpochTally } from '../../../../runtime/model/tally.ts';
import { checkSegments, highestSegment, missingSegments } from '../../../../runtime/results/place/segments.ts';

function placeOf(...epochs: readonly number[]): { readonly name: string; epochs(): Promise<readonly number[]> } {
  return { name: 'here', epochs: async () => epochs };
}

function accepted(...epochs: readonly number[]): EpochTally[] {
  return epochs.map((epoch) => ({ epoch, count: 1, low: 0, high: 0 }));
}

test('L3: the highest segment is the epoch floor of the place, -1 where there is none', async (t) => {
  t.is(await highestSegment(placeOf()), -1);
  t.is(await highestSegment(placeOf(0, 9, 10)), 10);
});

test('L22: a place that lacks the segment of an epoch that accepted something is refused, and told which', async (t) => {
  await t.notThrowsAsync(checkSegments(placeOf(2), [{ epoch: 5, count: 0, low: 0, high: 0 }]), 'nothing of it counts any more');
  await t.notThrowsAsync(checkSegments(placeOf(2), accepted(2)));
  await t.notThrowsAsync(checkSegments(placeOf(), []));
  t.deepEqual(await missingSegments(placeOf(2), accepted(0, 2, 7)), [0, 7]);
  await t.throwsAsync(checkSegments(placeOf(2), accepted(0, 2, 7)), {
    code: 'SEGMENT_MISSING',
    message: /^here lacks 0000000000\.seg, 0000000007\.seg,/,
  });
});
