import type { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { readFully } from './read-fully.ts';

/** Read at a time where reads follow each other: some hundred lines, and one read costs little more than that of a line. */
const BLOCK_BYTES: number = 64 * 1024;

/**
 * Reads of a file that mostly go forward in small steps: one that closely follows the one before reads a block, out of which those
 * after it are answered. Any other reads what is asked for and no more, so that what is kept for long pins no block.
 */
export class ReadAhead {
  readonly #handle: Pick<FileHandle, 'read'>;
  #block: { readonly at: number; readonly bytes: Buffer } | null = null;
  /** Where the last read ended. */
  #end = 0;

  constructor(handle: Pick<FileHandle, 'read'>) {
    this.#handle = handle;
  }

  /** `length` bytes from `position`, or as many as there are. */
  async read(position: number, length: number): Promise<Buffer> {
    const isNext = position >= this.#end && position < this.#end + BLOCK_BYTES;
    this.#end = position + length;
    const known = this.#known(position, length);
    if (known !== null) return known;
    const bytes = await readFully(this.#handle, position, isNext ? Math.max(length, BLOCK_BYTES) : length);
    if (bytes.length > length) this.#block = { at: position, bytes };
    return bytes.subarray(0, length);
  }

  #known(position: number, length: number): Buffer | null {
    if (this.#block === null) return null;
    const { at, bytes } = this.#block;
    return position >= at && position + length <= at + bytes.length ? bytes.subarray(position - at, position - at + length) : null;
  }
}
