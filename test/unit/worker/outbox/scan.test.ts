import test from 'ava';
import { encodeFrames, encodeHeader, SEGMENT_HEADER_BYTES } from '../../../../runtime/results/log/segment.ts';
import { toFrames } from '../../../../runtime/worker/outbox/outcome-frame.ts';
import { cutShort, OUTBOX_PLACE, scanFile } from '../../../../runtime/worker/outbox/scan.ts';
import { outcome } from '../../../support/worker-state.ts';

const NUMBER = 4;
const HEADER = encodeHeader({ epoch: NUMBER, placeId: OUTBOX_PLACE });

/** A file of such batches of items, and where each batch begins. */
function fileOf(batches: readonly (readonly number[])[], number = NUMBER): { readonly bytes: Buffer; readonly at: readonly number[] } {
  const at: number[] = [];
  let bytes = encodeHeader({ epoch: number, placeId: OUTBOX_PLACE });
  for (const batch of batches) {
    at.push(bytes.length);
    const frames = toFrames(
      batch.map((index) => outcome(index)),
      { batchAt: bytes.length, before: 0 },
    );
    bytes = Buffer.concat([bytes, encodeFrames(number, frames)]);
  }
  return { bytes, at };
}

/** The items that are found, or why none are. */
function found(bytes: Buffer, number = NUMBER): readonly number[] | string {
  const scan = scanFile(bytes, number);
  return scan.kind === 'whole' ? scan.outcomes.map(({ index }) => index) : `${scan.at}: ${scan.problem}`;
}

/** The bytes with all bits of one of them turned. */
function garbled(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
  return copy;
}

const { bytes: FILE, at: STARTS } = fileOf([[1, 2], [3], [4, 5, 6]]);
const LAST = STARTS[2] ?? 0;
const FRAME = (FILE.length - LAST) / 3;

test('L34: every outcome of a whole file is found, in the order in which they were written', (t) => {
  t.deepEqual(found(FILE), [1, 2, 3, 4, 5, 6]);
  t.deepEqual(found(HEADER), []);
});

test('L34: a file that was torn at any byte gives every outcome that is whole, and all of the batches before', (t) => {
  for (let end = 0; end <= FILE.length; end += 1) {
    const items = found(FILE.subarray(0, end));
    const whole = [1, 2, 3, 4, 5, 6].slice(0, Math.max(0, Math.floor((end - SEGMENT_HEADER_BYTES) / FRAME)));
    t.deepEqual(items, whole, `cut at ${end}`);
  }
});

test('L34: a hole of zeros in the last batch, from its start to any byte, hides only the frames that it touches', (t) => {
  for (let end = LAST + 1; end <= FILE.length; end += 1) {
    const bytes = Buffer.from(FILE).fill(0, LAST, end);
    const touched = Math.ceil((end - LAST) / FRAME);
    t.deepEqual(found(bytes), [1, 2, 3, ...[4, 5, 6].slice(touched)], `zeros up to ${end}`);
  }
});

test('a byte garbled in the last batch hides its frame, and no other one', (t) => {
  for (let at = LAST; at < FILE.length; at += 1) {
    const hit = 4 + Math.floor((at - LAST) / FRAME);
    t.deepEqual(
      found(garbled(FILE, at)),
      [1, 2, 3, 4, 5, 6].filter((index) => index !== hit),
      `byte ${at}`,
    );
  }
});

test('a byte garbled in a batch that others follow is damage, told with the byte where it begins', (t) => {
  for (let at = SEGMENT_HEADER_BYTES; at < LAST; at += 1) {
    const frameAt = at - ((at - SEGMENT_HEADER_BYTES) % FRAME);
    t.is(found(garbled(FILE, at)), `${frameAt}: a record is not whole, and later ones are`);
  }
});

test('a byte garbled in the header of a file with frames is damage; a file with nothing but a part of a header never held any', (t) => {
  for (let at = 0; at < SEGMENT_HEADER_BYTES; at += 1) {
    t.regex(String(found(garbled(FILE, at))), /^0: its header is not whole/);
    t.deepEqual(found(garbled(HEADER, at)), []);
  }
  t.deepEqual(found(Buffer.alloc(SEGMENT_HEADER_BYTES)), []);
});

test('bytes of another file, of the result log or of a newer version are not taken for outcomes', (t) => {
  t.regex(String(found(FILE, NUMBER + 1)), /^0: its header is that of another file/);
  const log = Buffer.concat([encodeHeader({ epoch: NUMBER, placeId: 'a-place' }), FILE.subarray(SEGMENT_HEADER_BYTES)]);
  t.regex(String(found(log)), /^0: its header is that of another file/);
  const other = fileOf([[7, 8]], NUMBER + 1).bytes.subarray(SEGMENT_HEADER_BYTES);
  t.deepEqual(found(Buffer.concat([FILE, other])), [1, 2, 3, 4, 5, 6], 'what an older file left behind the end');
});

test('a file that lacks bytes which were on disk when the next one was begun is damaged, whatever hides the end', (t) => {
  const file = (number: number, wholeBytes: number, before: number) => ({ number, scan: { outcomes: [], wholeBytes, before } });
  t.is(cutShort([file(1, 500, 0), file(2, 300, 500)]), null);
  t.like(cutShort([file(1, 500, 0), file(2, 299, 500), file(3, 90, 300)]), { number: 2 });
  t.is(cutShort([file(1, 500, 0), file(3, 300, 600)]), null, 'the one between was removed');
  t.is(cutShort([file(4, 20, 0), file(5, 300, 0)]), null, 'begun by a process that had not written the one before');
});
