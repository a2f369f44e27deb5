import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import type { Frame } from '../../../../runtime/results/log/contract.ts';
import { RecordFetcher } from '../../../../runtime/results/log/fetch.ts';
import { type Location, Locations } from '../../../../runtime/results/log/locations.ts';
import { encodeFrames, FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from '../../../../runtime/results/log/segment.ts';
import { directoryPlace } from '../../../../runtime/results/place/directory.ts';
import { segmentName } from '../../../../runtime/results/place/segment-name.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

/** Writes a segment of items, and tells where each one's frame lies. */
function writeSegment(dir: string, epoch: number, indexes: readonly number[]): Location[] {
  const frames: Frame[] = indexes.map((index) => ({
    index,
    attempt: 1,
    kind: 'result',
    line: Buffer.from(`{"epoch":${epoch},"n":${index}}`),
  }));
  writeFileSync(join(dir, segmentName(epoch)), Buffer.concat([Buffer.alloc(SEGMENT_HEADER_BYTES), encodeFrames(epoch, frames)]));
  let offset = SEGMENT_HEADER_BYTES;
  return frames.map(({ index, line }) => {
    const location: Location = { index, attempt: 1, epoch, offset, lineBytes: line.length, kind: 'result' };
    offset += FRAME_HEADER_BYTES + line.length;
    return location;
  });
}

test('records come in the order asked for, whatever that of the log, and from several segments', async (t) => {
  const dir = temporaryDir(t);
  const [first, second] = [writeSegment(dir, 1, [5, 6, 7, 1]), writeSegment(dir, 2, [2, 3])];
  const wanted = [...first, ...second].sort((a, b) => a.index - b.index);
  const fetcher = new RecordFetcher(directoryPlace(dir));
  const lines = [...(await fetcher.fetch(Locations.of(wanted)))].map(({ index, line }) => [index, Buffer.from(line).toString()]);
  t.deepEqual(
    lines,
    wanted.map(({ epoch, index }) => [index, `{"epoch":${epoch},"n":${index}}`]),
  );
  await fetcher.close();
});

test('a record that is not what it was is an error that names it, also where an earlier batch held the same bytes', async (t) => {
  const dir = temporaryDir(t);
  const locations = writeSegment(dir, 1, [4, 5]);
  const path = join(dir, segmentName(1));
  const fetcher = new RecordFetcher(directoryPlace(dir));
  t.is((await fetcher.fetch(Locations.of(locations))).count, 2);
  for (const spoil of [
    () => truncateSync(path, locations[1]?.offset),
    () => writeSegment(dir, 1, [4, 6]),
    () => writeSegment(dir, 1, [4, 55]),
    () => writeFileSync(path, Buffer.alloc(1000)),
  ]) {
    spoil();
    const error = await t.throwsAsync(fetcher.fetch(Locations.of(locations)), { instanceOf: RolloutError, code: 'LEDGER_CORRUPT' });
    t.regex(error.message, /the record of item index [45] in .* changed while it was read/);
    writeSegment(dir, 1, [4, 5]);
  }
  await fetcher.close();
});
