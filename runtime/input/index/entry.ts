import type { Buffer } from 'node:buffer';

/** Where one item's line lies in the input. Entry n of `index/offsets` is item n. */
export interface Entry {
  /** First byte of the line's content: after a byte order mark. */
  readonly offset: number;
  /** Bytes of the content: without CR and LF. Lines of 4 GiB and more, which are invalid, say 2^32 - 1. */
  readonly length: number;
  /** From 1; blank lines count. */
  readonly lineNumber: number;
  /** Where the reason of an invalid line stands in `index/reasons`; null for an item. */
  readonly reasonAt: number | null;
  /** CRC-32 of the content: a line that is read later is compared with it. 0 for a line that is too long, which is never read. */
  readonly checksum: number;
}

/** offset u48, length u32, line number u40, place of the reason + 1 u40 (0: valid), checksum u32; all little-endian. */
export const ENTRY_BYTES = 24;

const LENGTH_LIMIT = 2 ** 32 - 1;

export function writeEntry(bytes: Buffer, at: number, entry: Entry): void {
  bytes.writeUIntLE(entry.offset, at, 6);
  bytes.writeUInt32LE(Math.min(entry.length, LENGTH_LIMIT), at + 6);
  bytes.writeUIntLE(entry.lineNumber, at + 10, 5);
  bytes.writeUIntLE(entry.reasonAt === null ? 0 : entry.reasonAt + 1, at + 15, 5);
  bytes.writeUInt32LE(entry.checksum, at + 20);
}

export function readEntry(bytes: Buffer, at: number): Entry {
  const reason = bytes.readUIntLE(at + 15, 5);
  return {
    offset: offsetAt(bytes, at),
    length: lengthAt(bytes, at),
    lineNumber: lineNumberAt(bytes, at),
    reasonAt: reason === 0 ? null : reason - 1,
    checksum: checksumAt(bytes, at),
  };
}

export function offsetAt(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, 6);
}

export function lengthAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 6);
}

export function checksumAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 20);
}

/** The line number of the entry at `at`; 0 where no entry was written, as after a crash of the machine that lost it. */
export function lineNumberAt(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at + 10, 5);
}

/** Is the entry at `at` that of an invalid line? Reads the flag only. */
export function isInvalidAt(bytes: Buffer, at: number): boolean {
  return bytes.readUIntLE(at + 15, 5) !== 0;
}
