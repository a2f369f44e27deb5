import type { FileHandle } from 'node:fs/promises';
import { framesOf } from './frames.ts';
import type { NumberedLine } from './message.ts';
import { openSynced } from './synced-file.ts';

/** Enough for all that is not acknowledged; reached, the other file is begun where all in it is. */
const FILE_BYTES = 32 * 2 ** 20;

interface OutboxFile {
  readonly handle: FileHandle;
  bytes: number;
  /** Of its outcomes, how many are not acknowledged. */
  open: number;
}

/** Two files in turn, appended to and synced before anything in them is sent; that an outcome was acknowledged is not written down. */
export class Outbox {
  readonly #files: readonly [OutboxFile, OutboxFile];
  readonly #fileOf: Map<number, OutboxFile> = new Map();
  #current: 0 | 1 = 0;
  #generation = 1;

  private constructor(first: FileHandle, second: FileHandle) {
    this.#files = [
      { handle: first, bytes: 0, open: 0 },
      { handle: second, bytes: 0, open: 0 },
    ];
  }

  static async open(path: string): Promise<Outbox> {
    return new Outbox(await openSynced(`${path}.0`), await openSynced(`${path}.1`));
  }

  async put(outcomes: readonly NumberedLine[]): Promise<void> {
    const file = this.#fileToWrite();
    const frames = framesOf(outcomes, this.#generation);
    const at = file.bytes;
    file.bytes += frames.length;
    file.open += outcomes.length;
    for (const { index } of outcomes) this.#fileOf.set(index, file);
    await file.handle.write(frames, 0, frames.length, at);
  }

  forget(indexes: Uint32Array): void {
    for (const index of indexes) {
      const file = this.#fileOf.get(index);
      if (file !== undefined) file.open -= 1;
      this.#fileOf.delete(index);
    }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#files) await handle.close();
  }

  #fileToWrite(): OutboxFile {
    const other = this.#files[this.#current === 0 ? 1 : 0];
    if (this.#files[this.#current].bytes > FILE_BYTES && other.open === 0) {
      this.#current = this.#current === 0 ? 1 : 0;
      this.#generation += 1;
      other.bytes = 0;
    }
    return this.#files[this.#current];
  }
}
