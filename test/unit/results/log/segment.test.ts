import test from 'ava';
import fc from 'fast-check';
import type { Frame } from '../../../../runtime/results/log/contract.ts';
import {
  decodeFrame,
  decodeHeader,
  encodeFrames,
  encodeHeader,
  FRAME_HEADER_BYTES,
  type FrameProblem,
  SEGMENT_HEADER_BYTES,
} from '../../../../runtime/results/log/segment.ts';

const EPOCH = 7;

const anyFrame = fc.record({
  index: fc.nat({ max: 2 ** 32 - 2 }),
  attempt: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  kind: fc.constantFrom('result' as const, 'error' as const),
  line: fc.uint8Array({ maxLength: 300 }),
});

function frame(index: number, text: string): Frame {
  return { index, attempt: 1, kind: 'result', line: Buffer.from(text) };
}

/** Everything whole in the bytes, and why the rest is not. */
function decodeAll(bytes: Buffer): { readonly frames: Frame[]; readonly at: number; readonly end: FrameProblem | 'more' | 'end' } {
  const frames: Frame[] = [];
  let at = 0;
  while (at < bytes.length) {
    const decoded = decodeFrame(bytes, at, EPOCH);
    if (decoded.kind !== 'frame') return { frames, at, end: decoded.kind === 'more' ? 'more' : decoded.problem };
    frames.push({ ...decoded.frame, line: Uint8Array.from(decoded.frame.line) });
    at += decoded.bytes;
  }
  return { frames, at, end: 'end' };
}

test('L17: what is written is what is read, for any frames', (t) => {
  fc.assert(
    fc.property(fc.array(anyFrame), (frames) => {
      const decoded = decodeAll(encodeFrames(EPOCH, frames));
      t.deepEqual(decoded.frames, frames);
      t.is(decoded.end, 'end');
    }),
  );
});

test('the checksum is that of zip and gzip (CRC-32), over all of a frame and of a header but itself', (t) => {
  const bytes = encodeFrames(EPOCH, [frame(1, 'one')]);
  t.is(bytes.readUInt32LE(0), bitwiseCrc32(bytes.subarray(4)));
  const header = encodeHeader({ epoch: EPOCH, placeId: 'p' });
  t.is(header.readUInt32LE(SEGMENT_HEADER_BYTES - 4), bitwiseCrc32(header.subarray(0, -4)));
  t.is(bitwiseCrc32(Buffer.from('123456789')), 0xcbf43926);
});

/** The definition, one bit at a time. */
function bitwiseCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('L17: a tail cut at any byte of the last frame hides that frame alone', (t) => {
  const whole = encodeFrames(EPOCH, [frame(1, 'one'), frame(2, 'two')]);
  const last = encodeFrames(EPOCH, [frame(3, 'a longer line, the last')]);
  for (let kept = 1; kept < last.length; kept++) {
    const decoded = decodeAll(Buffer.concat([whole, last.subarray(0, kept)]));
    t.deepEqual(
      decoded.frames.map((f) => f.index),
      [1, 2],
    );
    t.is(decoded.end, 'more');
    t.is(decoded.at, whole.length);
  }
});

test('L17: a tail of zeros from any byte of the last frame on hides that frame alone', (t) => {
  const whole = encodeFrames(EPOCH, [frame(1, 'one'), frame(2, 'two')]);
  const last = encodeFrames(EPOCH, [frame(3, 'a longer line, the last')]);
  for (let kept = 0; kept < last.length; kept++) {
    const decoded = decodeAll(Buffer.concat([whole, last.subarray(0, kept), Buffer.alloc(100)]));
    t.deepEqual(
      decoded.frames.map((f) => f.index),
      [1, 2],
    );
    t.is(decoded.end, kept === 0 ? 'zeros' : 'checksum');
    t.is(decoded.at, whole.length);
  }
});

test('L17: any flipped bit hides its frame and all behind it, and never yields a wrong one', (t) => {
  const first = encodeFrames(EPOCH, [frame(1, 'one')]);
  const bytes = Buffer.concat([first, encodeFrames(EPOCH, [frame(2, 'two'), frame(3, 'three')])]);
  for (let bit = first.length * 8; bit < (first.length + FRAME_HEADER_BYTES + 3) * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    t.deepEqual(
      decodeAll(flipped).frames.map((f) => f.index),
      [1],
      `bit ${bit}`,
    );
  }
});

test('L17: an absurd length is not waited for', (t) => {
  const bytes = encodeFrames(EPOCH, [frame(1, 'one')]);
  bytes.writeUInt32LE(0xffffffff, 4);
  t.is(decodeAll(bytes).end, 'length');
});

test("L17: a frame of another epoch is not this segment's", (t) => {
  t.is(decodeAll(encodeFrames(EPOCH + 1, [frame(1, 'one')])).end, 'epoch');
});

test('a header names its epoch and its place', (t) => {
  for (const header of [
    { epoch: 0, placeId: 'p' },
    { epoch: 2 ** 32 - 1, placeId: 'f'.repeat(32) },
  ]) {
    const bytes = encodeHeader(header);
    t.is(bytes.length, SEGMENT_HEADER_BYTES);
    t.deepEqual(decodeHeader(bytes), header);
  }
});

test('a header with any bit flipped, or cut, is refused', (t) => {
  const bytes = encodeHeader({ epoch: 3, placeId: 'abc' });
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    t.is(decodeHeader(flipped), bit < 64 ? 'not-a-segment' : 'checksum');
  }
  for (let kept = 0; kept < bytes.length; kept++) t.is(decodeHeader(bytes.subarray(0, kept)), 'torn');
});
