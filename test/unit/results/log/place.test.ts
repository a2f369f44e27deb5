import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import type { EpochTally } from '../../../../runtime/model/tally.ts';
import { checkSegments, highestSegment, listSegments, openPlace, readPlace } from '../../../../runtime/results/log/place.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

async function codeOf(t: ExecutionContext, work: Promise<unknown>): Promise<string | undefined> {
  return (await t.throwsAsync<RolloutError>(work, { instanceOf: RolloutError }))?.code;
}

test('L22: a place is made once and keeps its identity, also when many start at once', async (t) => {
  const dir = join(temporaryDir(t), 'new', 'segments');
  const places = await Promise.all(Array.from({ length: 20 }, () => openPlace(dir, 'run')));
  t.is(new Set(places.map((place) => place.placeId)).size, 1);
  t.regex(places[0]?.placeId ?? '', /^[0-9a-f]{32}$/);
  t.deepEqual(await openPlace(dir, 'run'), places[0] as object);
  t.deepEqual(readdirSync(dir), ['place.json']);
});

test('L22: a place of another run is refused', async (t) => {
  const dir = temporaryDir(t);
  await openPlace(dir, 'run');
  t.is(await codeOf(t, openPlace(dir, 'other')), 'PLACE_ELSEWHERE');
});

test('L22: segments without the identity that was made with them are refused', async (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, '0000000000.seg'), '');
  t.is(await codeOf(t, openPlace(dir, 'run')), 'PLACE_ELSEWHERE');
  t.deepEqual(readdirSync(dir), ['0000000000.seg']);
});

test('a damaged identity, or one of a later version, is an error that names the file', async (t) => {
  const dir = temporaryDir(t);
  for (const text of ['', '{', '[]', 'null', '{"version":2,"placeId":"a","runId":"run"}', '{"version":1,"placeId":7,"runId":"run"}']) {
    writeFileSync(join(dir, 'place.json'), text);
    const error = await t.throwsAsync<RolloutError>(openPlace(dir, 'run'), { instanceOf: RolloutError });
    t.is(error?.code, 'STATE_UNREADABLE', text);
    t.true(error?.message.includes(join(dir, 'place.json')), text);
    t.is(readFileSync(join(dir, 'place.json'), 'utf8'), text);
  }
});

test('L3: the highest segment is the epoch floor of the place, -1 where there is none', async (t) => {
  const dir = temporaryDir(t);
  t.is(await highestSegment(join(dir, 'nowhere')), -1);
  t.is(await readPlace(dir), null);
  t.is(await highestSegment(dir), -1);
  for (const name of ['0000000010.seg', '0000000009.seg', '0000000000.seg', '99.seg', '0000000011.seg.tmp', 'place.json']) {
    writeFileSync(join(dir, name), '');
  }
  t.is(await highestSegment(dir), 10);
  t.deepEqual(
    (await listSegments(dir)).map(({ epoch }) => epoch),
    [0, 9, 10],
  );
});

test('L22: a place that lacks the segment of an epoch that accepted something is refused, and told which', async (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, '0000000002.seg'), '');
  const accepted = (...epochs: number[]): EpochTally[] => epochs.map((epoch) => ({ epoch, count: 1, low: 0, high: 0 }));
  await t.notThrowsAsync(checkSegments(dir, [{ epoch: 5, count: 0, low: 0, high: 0 }]), 'nothing of it counts any more');
  await t.notThrowsAsync(checkSegments(dir, accepted(2)));
  await t.notThrowsAsync(checkSegments(join(dir, 'nowhere'), []));
  const error = await t.throwsAsync<RolloutError>(checkSegments(dir, accepted(0, 2, 7)), { instanceOf: RolloutError });
  t.is(error?.code, 'SEGMENT_MISSING');
  t.regex(error?.message ?? '', /lacks 0000000000\.seg, 0000000007\.seg,/);
});
