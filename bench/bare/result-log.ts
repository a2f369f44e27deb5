import { readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { framesOf, HEADER_BYTES } from './frames.ts';
import type { NumberedLine } from './message.ts';
import { openSynced } from './synced-file.ts';

const LINE_FEED = 10;

/** The bytes of the results, appended and synced, and where each lies. */
export class ResultLog {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #epoch: number;
  readonly #offsets: Float64Array;
  readonly #lengths: Uint32Array;
  #length = 0;

  private constructor(path: string, file: FileHandle, epoch: number, items: number) {
    this.#path = path;
    this.#file = file;
    this.#epoch = epoch;
    this.#offsets = new Float64Array(items);
    this.#lengths = new Uint32Array(items);
  }

  static async create(path: string, epoch: number, items: number): Promise<ResultLog> {
    return new ResultLog(path, await openSynced(path), epoch, items);
  }

  /** One synced write for all of them. */
  async append(outcomes: readonly NumberedLine[]): Promise<void> {
    const frames = framesOf(outcomes, this.#epoch);
    await this.#file.write(frames, 0, frames.length, this.#length);
    for (const { index, line } of outcomes) {
      this.#offsets[index] = this.#length + HEADER_BYTES;
      this.#lengths[index] = line.length;
      this.#length += HEADER_BYTES + line.length;
    }
  }

  /** Writes the lines in the order of the items, and syncs. */
  async exportTo(output: string): Promise<void> {
    await this.#file.close();
    const log = readFileSync(this.#path);
    const total = this.#lengths.reduce((sum, length) => sum + length + 1, 0);
    const lines = Buffer.allocUnsafe(total);
    let at = 0;
    for (const [index, length] of this.#lengths.entries()) {
      const from = this.#offsets[index] ?? 0;
      log.copy(lines, at, from, from + length);
      lines[at + length] = LINE_FEED;
      at += length + 1;
    }
    writeFileSync(output, lines, { flush: true });
  }
}
