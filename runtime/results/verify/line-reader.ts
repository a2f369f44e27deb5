import { type FileHandle, open } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';

/** Few reads of a large file, and little memory. */
const CHUNK_BYTES = 2 ** 20;
const LINE_FEED = 0x0a;

/** A line without its line feed. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  /** Null where the line is longer than it may be; else valid until the next lines are read. */
  readonly bytes: Buffer | null;
  /** Where the line, with its line feed, ends in the file. */
  readonly end: number;
  /** False for a last line that no line feed ends. */
  readonly isEnded: boolean;
}

/** Reads a file line by line, in memory bounded by the longest line allowed. */
export class LineReader {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  /** Bytes at the front of the buffer that belong to an unfinished line. */
  #carried = 0;
  /** The unfinished line is too long to be kept: its bytes are dropped as they come. */
  #isDropping = false;
  #position = 0;
  #lines = 0;

  private constructor(path: string, handle: FileHandle, maxBytes: number) {
    this.#path = path;
    this.#handle = handle;
    this.#maxBytes = maxBytes;
  }

  /** Null where there is no file at `path`. */
  static async open(path: string, maxBytes: number): Promise<LineReader | null> {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw unreadable(path, error);
    });
    return handle === null ? null : new LineReader(path, handle, maxBytes);
  }

  /** The next lines, empty at the end. */
  async next(): Promise<readonly TextLine[]> {
    for (;;) {
      this.#makeRoom();
      const count = await this.#read();
      if (count === 0) return this.#lastLine();
      const lines = this.#take(count);
      if (lines.length > 0) return lines;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #read(): Promise<number> {
    try {
      return (await this.#handle.read(this.#buffer, this.#carried, CHUNK_BYTES, this.#position)).bytesRead;
    } catch (error) {
      throw unreadable(this.#path, error as Error);
    }
  }

  /** A new buffer for each chunk: the lines handed out last are views of the old one. */
  #makeRoom(): void {
    const fresh = Buffer.allocUnsafe(this.#carried + CHUNK_BYTES);
    this.#buffer.copy(fresh, 0, this.#buffer.length - this.#carried);
    this.#buffer = fresh;
  }

  #take(count: number): readonly TextLine[] {
    const filled = this.#buffer.subarray(0, this.#carried + count);
    const base = this.#position - this.#carried;
    this.#position += count;
    const lines: TextLine[] = [];
    let start = 0;
    for (let feed = filled.indexOf(LINE_FEED, this.#carried); feed >= 0; feed = filled.indexOf(LINE_FEED, start)) {
      lines.push(this.#line(filled.subarray(start, feed), base + feed + 1, true));
      start = feed + 1;
    }
    this.#carry(filled, start);
    return lines;
  }

  #line(bytes: Buffer, end: number, isEnded: boolean): TextLine {
    const isTooLong = this.#isDropping || bytes.length > this.#maxBytes;
    this.#isDropping = false;
    this.#lines += 1;
    return { number: this.#lines, bytes: isTooLong ? null : bytes, end, isEnded };
  }

  /** Keeps the tail of the chunk as the last bytes of the buffer, for `#makeRoom`. */
  #carry(filled: Buffer, start: number): void {
    this.#buffer = filled;
    this.#carried = filled.length - start;
    if (!this.#isDropping && this.#carried <= this.#maxBytes) return;
    this.#isDropping = true;
    this.#carried = 0;
  }

  #lastLine(): readonly TextLine[] {
    if (this.#carried === 0 && !this.#isDropping) return [];
    const line = this.#line(this.#buffer.subarray(0, this.#carried), this.#position, false);
    this.#carried = 0;
    return [line];
  }
}

function unreadable(path: string, cause: Error): RolloutError {
  return new RolloutError('STATE_UNREADABLE', `cannot read ${path}: ${cause.message}`, { cause });
}
