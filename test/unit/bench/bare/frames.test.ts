import { crc32 } from 'node:zlib';
import test from 'ava';
import { framesOf, HEADER_BYTES } from '../../../../bench/bare/frames.ts';

test('each line stands behind a header with its checksum, length and index', (t) => {
  const bytes = framesOf(
    [
      { index: 3, line: Buffer.from('one') },
      { index: 9, line: Buffer.from('three') },
    ],
    7,
  );
  t.is(bytes.length, 2 * HEADER_BYTES + 8);
  const second = HEADER_BYTES + 3;
  t.is(bytes.readUInt32LE(second), crc32(bytes.subarray(second + 4)));
  t.deepEqual([bytes.readUInt32LE(second + 4), bytes.readUInt32LE(second + 8), bytes.readUInt32LE(second + 16)], [5, 9, 7]);
  t.is(bytes.toString('utf8', second + HEADER_BYTES), 'three');
});
