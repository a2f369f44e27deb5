import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { readFully } from '../../base/fs/read-fully.ts';
import type { ItemIndex } from '../../model/row.ts';
import { ENTRY_BYTES } from './entry.ts';

/** 24 KiB: items are handed out in the order of the index, so that one read serves the next thousand of them. */
const READ_AHEAD = 1_024;

/** Reads entries of an index that may still be growing. What it has read ahead is kept until something else is asked for. */
export class EntryReader {
  readonly #handle: Pick<FileHandle, 'read' | 'close'>;
  readonly #written: () => number;
  #from: ItemIndex = 0;
  #bytes: Buffer = Buffer.alloc(0);

  /** `written`: how many entries are complete and never change again. No more is read ahead. */
  constructor(handle: Pick<FileHandle, 'read' | 'close'>, written: () => number) {
    this.#handle = handle;
    this.#written = written;
  }

  /** The entries of `count` items from `from`, as far as they are written: whole ones only. */
  async read(from: ItemIndex, count: number): Promise<Buffer> {
    const start = (from - this.#from) * ENTRY_BYTES;
    const end = start + count * ENTRY_BYTES;
    if (start >= 0 && end <= this.#bytes.length) return this.#bytes.subarray(start, end);
    const ahead = Math.min(READ_AHEAD, this.#written() - from);
    if (count > ahead) return this.#readEntries(from, count);
    const bytes = await this.#readEntries(from, ahead);
    this.#from = from;
    this.#bytes = bytes;
    return bytes.subarray(0, count * ENTRY_BYTES);
  }

  async #readEntries(from: ItemIndex, count: number): Promise<Buffer> {
    const bytes = await readFully(this.#handle, from * ENTRY_BYTES, count * ENTRY_BYTES);
    return bytes.subarray(0, bytes.length - (bytes.length % ENTRY_BYTES));
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
