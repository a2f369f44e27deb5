import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';

/** One line of a file without its line feed. */
export interface RawLine {
  readonly offset: number;
  readonly length: number;
  /** Valid until the handler returns; null where the line is longer than it may be, and was not kept. */
  readonly bytes: Uint8Array | null;
}

export interface LineSource {
  readonly descriptor: number;
  /** Longer lines come without their bytes; nothing longer is ever held in memory. */
  readonly maxBytes: number;
  /** After so many bytes of one line the reading ends with `onEndless`. */
  readonly endlessBytes: number;
  readonly onEndless: () => Error;
  /** Each line in turn; false ends the reading after it. */
  readonly onLine: (line: RawLine) => boolean;
  /** The bytes read, in pieces and in order, after their lines; where the reading was ended, up to the end of the last line. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** Few reads of a large file, and little memory; a longer line is put together. */
const CHUNK_BYTES = 2 ** 20;
const LINE_FEED = 0x0a;

/** Reads a file from its beginning to its end, line by line, blocking: for a thread of its own. */
export function readLines(source: LineSource): void {
  new LineReading(source).run();
}

class LineReading {
  readonly #source: LineSource;
  #buffer: Buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  /** Bytes at the front of the buffer that belong to a line whose end has not been read. */
  #carried = 0;
  /** Where a line began that is too long to be carried; null most of the time. */
  #longLineAt: number | null = null;
  /** Bytes of the file read so far. */
  #position = 0;
  #isEnded = false;

  constructor(source: LineSource) {
    this.#source = source;
  }

  run(): void {
    while (!this.#isEnded) {
      this.#makeRoom();
      const count = readSync(this.#source.descriptor, this.#buffer, this.#carried, CHUNK_BYTES, this.#position);
      if (count === 0) break;
      this.#takeChunk(count);
    }
    if (!this.#isEnded) this.#takeLastLine();
  }

  #makeRoom(): void {
    if (this.#buffer.length - this.#carried >= CHUNK_BYTES) return;
    const larger = Buffer.allocUnsafe(Math.min(2 * this.#buffer.length, this.#source.maxBytes + 2 * CHUNK_BYTES));
    this.#buffer.copy(larger, 0, 0, this.#carried);
    this.#buffer = larger;
  }

  #takeChunk(count: number): void {
    const chunkAt = this.#carried;
    const filled = this.#buffer.subarray(0, chunkAt + count);
    const base = this.#position - chunkAt;
    this.#position += count;
    const lineAt = this.#takeLines(filled, base);
    this.#source.onBytes(filled.subarray(chunkAt, this.#isEnded ? lineAt : filled.length));
    this.#carry(filled, lineAt, base);
  }

  /** Hands out every line that ends in `filled`, which begins at byte `base` of the file; tells where the next one begins. */
  #takeLines(filled: Buffer, base: number): number {
    let lineAt = 0;
    let feedAt = filled.indexOf(LINE_FEED, this.#carried);
    while (feedAt >= 0 && !this.#isEnded) {
      this.#takeLine(base, lineAt, feedAt);
      lineAt = feedAt + 1;
      feedAt = filled.indexOf(LINE_FEED, lineAt);
    }
    return lineAt;
  }

  #takeLine(base: number, start: number, end: number): void {
    const offset = this.#longLineAt ?? base + start;
    const length = base + end - offset;
    const isKept = this.#longLineAt === null && length <= this.#source.maxBytes;
    this.#longLineAt = null;
    this.#isEnded = !this.#source.onLine({ offset, length, bytes: isKept ? this.#buffer.subarray(start, end) : null });
  }

  #carry(filled: Buffer, lineAt: number, base: number): void {
    const rest = filled.length - lineAt;
    if (this.#longLineAt === null && rest <= this.#source.maxBytes) {
      if (lineAt > 0) filled.copyWithin(0, lineAt);
      this.#carried = rest;
      return;
    }
    this.#longLineAt ??= base + lineAt;
    if (this.#position - this.#longLineAt >= this.#source.endlessBytes) throw this.#source.onEndless();
    this.#carried = 0;
  }

  /** The last line may lack its line feed. */
  #takeLastLine(): void {
    if (this.#carried === 0 && this.#longLineAt === null) return;
    this.#takeLine(this.#position - this.#carried, 0, this.#carried);
  }
}
