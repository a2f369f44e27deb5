import { writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Frame } from '../../../../runtime/results/log/contract.ts';
import { encodeFrames, encodeHeader, FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from '../../../../runtime/results/log/segment.ts';
import { type SegmentEnd, SegmentReader } from '../../../../runtime/results/log/segment-reader.ts';
import type { ResultsPlace } from '../../../../runtime/results/place/contract.ts';
import { directoryPlace } from '../../../../runtime/results/place/directory.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const HEADER = encodeHeader({ epoch: 4, placeId: 'here' });

function frame(index: number, bytes: number): Frame {
  return { index, attempt: index + 1, kind: index % 3 === 0 ? 'error' : 'result', line: Buffer.alloc(bytes, index) };
}

function segment(t: ExecutionContext): { readonly place: ResultsPlace; readonly path: string } {
  const dir = temporaryDir(t);
  return { place: directoryPlace(dir), path: join(dir, '0000000004.seg') };
}

interface Contents {
  readonly frames: readonly Frame[];
  readonly offsets: readonly number[];
  readonly end: SegmentEnd;
}

async function read(file: ReturnType<typeof segment>, placeId: string | null = 'here'): Promise<Contents> {
  const reader = await SegmentReader.open(file.place, 4, placeId);
  const frames: Frame[] = [];
  const offsets: number[] = [];
  for (let block = await reader.next(); block !== null; block = await reader.next()) {
    for (const [n, one] of [...block.frames].entries()) {
      frames.push({ ...one, line: Buffer.from(one.line) });
      offsets.push(block.base + block.frames.start(n));
    }
  }
  const end = await reader.end();
  await reader.close();
  return { frames, offsets, end };
}

function isSame(a: Frame, b: Frame | undefined): boolean {
  return b !== undefined && a.index === b.index && a.attempt === b.attempt && a.kind === b.kind && Buffer.compare(a.line, b.line) === 0;
}

test('every frame is read with its place, whatever the sizes', async (t) => {
  const file = segment(t);
  const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(50_000), fc.constantFrom(2 ** 20 - 24, 2 ** 20, 3 * 2 ** 20)), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const frames = lengths.map((bytes, index) => frame(index, bytes));
      writeFileSync(file.path, Buffer.concat([HEADER, encodeFrames(4, frames)]));
      const contents = await read(file);
      t.is(contents.frames.length, frames.length);
      t.true(contents.frames.every((one, at) => isSame(one, frames[at])));
      let offset = SEGMENT_HEADER_BYTES;
      for (const [at, bytes] of lengths.entries()) {
        t.is(contents.offsets[at], offset);
        offset += FRAME_HEADER_BYTES + bytes;
      }
      t.is(contents.end.problem, null);
      t.is(contents.end.offset, contents.end.segmentBytes);
    }),
    { numRuns: 25 },
  );
});

test('L17: a tail cut or zeroed at any byte of the last frame ends the reading before it, and says why', async (t) => {
  const file = segment(t);
  const whole = Buffer.concat([HEADER, encodeFrames(4, [frame(1, 10), frame(2, 20)])]);
  const last = encodeFrames(4, [frame(3, 30)]);
  for (let kept = 1; kept < last.length; kept++) {
    for (const [tail, problems] of [
      [Buffer.alloc(0), ['torn']],
      [Buffer.alloc(200), ['checksum', 'zeros']],
    ] as const) {
      writeFileSync(file.path, Buffer.concat([whole, last.subarray(0, kept), tail]));
      const { frames, end } = await read(file);
      t.deepEqual(
        frames.map(({ index }) => index),
        [1, 2],
      );
      t.is(end.offset, whole.length);
      t.true((problems as readonly string[]).includes(end.problem ?? ''), `${kept} ${end.problem}`);
    }
  }
});

test('a segment that grows shows what it held at each read', async (t) => {
  const file = segment(t);
  writeFileSync(file.path, Buffer.concat([HEADER, encodeFrames(4, [frame(1, 10)])]));
  const reader = await SegmentReader.open(file.place, 4, null);
  const indexes = async (): Promise<readonly number[]> => [...((await reader.next())?.frames ?? [])].map(({ index }) => index);
  t.deepEqual(await indexes(), [1]);
  await appendFile(file.path, encodeFrames(4, [frame(2, 10)]));
  t.deepEqual(await indexes(), [2]);
  t.is(await reader.next(), null);
  await reader.close();
});

test('a header that is cut, damaged, of another epoch or of another place yields no frame', async (t) => {
  const file = segment(t);
  const body = encodeFrames(4, [frame(1, 10)]);
  const flipped = Buffer.from(HEADER);
  flipped.writeUInt8(9, 20);
  for (const [bytes, problem] of [
    [Buffer.alloc(0), 'torn'],
    [HEADER.subarray(0, 63), 'torn'],
    [Buffer.concat([flipped, body]), 'checksum'],
    [Buffer.alloc(100), 'not-a-segment'],
    [Buffer.concat([encodeHeader({ epoch: 5, placeId: 'here' }), body]), 'elsewhere'],
    [Buffer.concat([encodeHeader({ epoch: 4, placeId: 'there' }), body]), 'elsewhere'],
  ] as const) {
    writeFileSync(file.path, bytes);
    const { frames, end } = await read(file);
    t.deepEqual(frames, []);
    t.is(end.problem, problem);
    t.is(end.offset, 0);
  }
});
