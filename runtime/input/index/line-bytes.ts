import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { readFully } from '../../base/fs/read-fully.ts';

/** Some hundred short lines. */
const READ_AHEAD: number = 2 ** 16;
/** Between lines that follow one another there are line ends, and lines that are no items. */
const MOST_BETWEEN = 1_024;

/**
 * Reads lines of the input. Items are handed out in its order, so a read often goes on where the last one ended: then more is read at once,
 * and the next lines are in memory already. Each read is a trip to another thread, for which a worker with one slot would wait with each of
 * its items. Elsewhere nothing is read ahead, since whoever holds a line keeps all that was read with it.
 */
export class LineBytes {
  readonly #handle: Pick<FileHandle, 'read'>;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** The end of the last request. */
  #askedEnd = 0;

  constructor(handle: Pick<FileHandle, 'read'>) {
    this.#handle = handle;
  }

  /** `length` bytes from `offset`, or fewer at the end of the file. The caller must not write to them. */
  async read(offset: number, length: number): Promise<Buffer> {
    const isNext = offset >= this.#askedEnd && offset - this.#askedEnd <= MOST_BETWEEN;
    this.#askedEnd = offset + length;
    const at = offset - this.#start;
    if (at >= 0 && at + length <= this.#bytes.length) return this.#bytes.subarray(at, at + length);
    if (!isNext || length >= READ_AHEAD) return readFully(this.#handle, offset, length);
    const bytes = await readFully(this.#handle, offset, READ_AHEAD);
    this.#start = offset;
    this.#bytes = bytes;
    return bytes.subarray(0, length);
  }
}
