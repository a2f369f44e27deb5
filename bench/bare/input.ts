import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { IndexTask } from './index-thread.ts';
import { EMPTY, type Message } from './message.ts';

/** The items, read by ranges from the file as far as the thread has indexed it. */
export class Input {
  readonly #file: FileHandle;
  readonly #task: IndexTask;
  readonly whole: Promise<void>;

  private constructor(file: FileHandle, task: IndexTask, whole: Promise<void>) {
    this.#file = file;
    this.#task = task;
    this.whole = whole;
  }

  static async open(path: string, items: number): Promise<Input> {
    const offsets = new Float64Array(new SharedArrayBuffer((items + 1) * Float64Array.BYTES_PER_ELEMENT));
    const known = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const task: IndexTask = { input: path, offsets, known };
    const thread = new Worker(new URL('index-thread.ts', import.meta.url), { workerData: task });
    const whole = new Promise<void>((resolve, reject) => {
      thread.once('message', () => resolve());
      thread.once('error', reject);
    });
    return new Input(await open(path), task, whole);
  }

  known(): number {
    return Atomics.load(this.#task.known, 0);
  }

  /** The lines of a range, as they stand in the file. */
  async read(first: number, count: number): Promise<Message> {
    const { offsets } = this.#task;
    const at = (index: number): number => offsets[index] ?? 0;
    const lines = Buffer.allocUnsafe(at(first + count) - at(first));
    await this.#file.read(lines, 0, lines.length, at(first));
    const indexes = Uint32Array.from({ length: count }, (_, n) => first + n);
    return { ...EMPTY, indexes, lengths: indexes.map((index) => at(index + 1) - at(index)), lines };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
