import { Buffer } from 'node:buffer';
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { ENTRY_BYTES, lineNumberAt } from './entry.ts';

/** The line of an earlier entry is not what the input has in its place now. */
export class LineDiffers extends Error {
  readonly lineNumber: number;

  constructor(lineNumber: number) {
    super(`line ${lineNumber} differs from the one that was indexed before`);
    this.lineNumber = lineNumber;
  }
}

/**
 * What an earlier indexing has written. Items may have been handed out by these entries, so an index that is made again must agree
 * with every one of them: the input may only have grown. An entry that a crash of the machine has lost is all zeros, and not compared.
 */
export class EarlierEntries {
  readonly #descriptor: number;
  readonly #bytes: number;
  readonly #count: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
    this.#count = Math.floor(this.#bytes / ENTRY_BYTES);
  }

  /** Throws LineDiffers if one of these entries, which begin at entry `from`, was different before. */
  compare(entries: Buffer, from: number): void {
    if (from >= this.#count) return;
    const earlier = this.#read(from, entries.length / ENTRY_BYTES);
    if (earlier.equals(entries.subarray(0, earlier.length))) return;
    for (let at = 0; at < earlier.length; at += ENTRY_BYTES) {
      const isLost = lineNumberAt(earlier, at) === 0;
      if (!isLost && earlier.compare(entries, at, at + ENTRY_BYTES, at, at + ENTRY_BYTES) !== 0)
        throw new LineDiffers(lineNumberAt(earlier, at));
    }
  }

  /** Throws LineDiffers if earlier entries follow these `count`. Only lost entries are cut off: another process may write more. */
  end(count: number): void {
    for (let from = count; from < this.#count; from += 1) {
      const lineNumber = lineNumberAt(this.#read(from, 1), 0);
      if (lineNumber !== 0) throw new LineDiffers(lineNumber);
    }
    if (this.#bytes > count * ENTRY_BYTES) ftruncateSync(this.#descriptor, count * ENTRY_BYTES);
  }

  #read(from: number, count: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.min(count, this.#count - from) * ENTRY_BYTES);
    const filled = readSync(this.#descriptor, bytes, 0, bytes.length, from * ENTRY_BYTES);
    return bytes.subarray(0, filled - (filled % ENTRY_BYTES));
  }
}
