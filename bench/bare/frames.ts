import { crc32 } from 'node:zlib';
import type { NumberedLine } from './message.ts';

/** Checksum, length, index, attempt, epoch, kind: as many bytes before each line as the product's logs have. */
export const HEADER_BYTES = 24;

/** The frames of the lines behind one another, as they are appended to the result log and to a worker's outbox. */
export function framesOf(outcomes: readonly NumberedLine[], epoch: number): Buffer {
  const total = outcomes.reduce((sum, { line }) => sum + HEADER_BYTES + line.length, 0);
  const bytes = Buffer.allocUnsafe(total);
  let at = 0;
  for (const { index, line } of outcomes) {
    const end = at + HEADER_BYTES + line.length;
    bytes.writeUInt32LE(line.length, at + 4);
    bytes.writeUInt32LE(index, at + 8);
    bytes.writeUInt32LE(1, at + 12);
    bytes.writeUInt32LE(epoch, at + 16);
    bytes.writeUInt32LE(1, at + 20);
    bytes.set(line, at + HEADER_BYTES);
    bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, end)), at);
    at = end;
  }
  return bytes;
}
