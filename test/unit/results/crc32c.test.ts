import test from 'ava';
import { crc32c } from '../../../runtime/results/crc32c.ts';

const iscsiRead = Buffer.from('01c000000000000000000000000000001400000000000400000000140000001828000000000000000200000000000000', 'hex');

const vectors: readonly (readonly [string, Uint8Array, number])[] = [
  ['32 bytes of zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['32 incrementing bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['32 decrementing bytes', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
  ['an iSCSI SCSI Read (10) command', iscsiRead, 0xd9963a56],
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['nothing', new Uint8Array(0), 0],
];

for (const [what, bytes, expected] of vectors) {
  test(`the checksum of ${what} is that of RFC 3720, B.4`, (t) => {
    t.is(crc32c(bytes), expected);
  });
}

test('a range has the checksum of its bytes, at every length and alignment', (t) => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * 37) & 0xff);
  for (let start = 0; start < 9; start++) {
    for (let end = start; end <= bytes.length; end++) t.is(crc32c(bytes, start, end), bitwise(bytes.subarray(start, end)));
  }
});

/** The definition, one bit at a time. */
function bitwise(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
