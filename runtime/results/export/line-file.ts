import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../base/fs/atomic-file.ts';
import { removeLeftTemporaries, temporaryName } from '../../base/fs/temporary-file.ts';
import { irregular, unwritable } from '../../format/unwritable.ts';
import { realTarget, temporaryPrefix } from './output-target.ts';

/** Few system calls for many short lines; a fraction of what a process uses anyway. */
const BUFFER_BYTES = 2 ** 20;
const LINE_FEED = 0x0a;
const UNLISTED: readonly unknown[] = ['EACCES', 'EPERM', 'ENOENT'];

/** A file of lines that appears at its path as a whole, or not at all. */
export class LineFile {
  readonly #path: string;
  readonly temporary: string;
  readonly #handle: FileHandle;
  readonly #onLines: (lines: Buffer) => void;
  #buffer: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;

  private constructor(path: string, temporary: string, handle: FileHandle, onLines: (lines: Buffer) => void) {
    this.#path = path;
    this.temporary = temporary;
    this.#handle = handle;
    this.#onLines = onLines;
  }

  /**
   * Begins a file beside its target, with the permissions that it will have; refuses a target that could not be replaced. `onLines` sees
   * all lines, each with its end, many at a time.
   */
  static async create(given: string, mode: number, onLines: (lines: Buffer) => void = () => undefined): Promise<LineFile> {
    await refuseIrregular(given);
    const path = await realTarget(given);
    await removeLeftTemporaries(dirname(path), temporaryPrefix(path)).catch((error: NodeJS.ErrnoException) => {
      // A directory that may not be listed may still be written; if not, that is told just after.
      if (!UNLISTED.includes(error.code)) throw unwritable(path, error);
    });
    const temporary = join(dirname(path), await temporaryName(temporaryPrefix(path)));
    const handle = await open(temporary, 'wx', mode & 0o600).catch((error: Error) => {
      throw unwritable(path, error);
    });
    await handle.chmod(mode);
    return new LineFile(path, temporary, handle, onLines);
  }

  /** Whether a line of so many bytes can be added at once. */
  hasRoom(bytes: number): boolean {
    return this.#filled + bytes < this.#buffer.length;
  }

  /** Writes what was added; then there is room for a line of so many bytes. */
  async makeRoom(bytes: number): Promise<void> {
    await this.#flush();
    if (bytes >= this.#buffer.length) this.#buffer = Buffer.allocUnsafe(bytes + 1);
  }

  /** Copies a line, which lies between `start` and `end`, and ends it. There must be room for it. */
  add(bytes: Buffer, start: number, end: number): void {
    this.#filled += bytes.copy(this.#buffer, this.#filled, start, end);
    this.#buffer[this.#filled++] = LINE_FEED;
  }

  /** The contents are on disk, not yet under their name. */
  async complete(): Promise<void> {
    await this.#flush();
    await this.#wrap(() => this.#handle.sync());
    await this.#handle.close();
  }

  /** Gives the completed file its name, durably. */
  async publish(): Promise<void> {
    await this.#wrap(() => rename(this.temporary, this.#path));
    await syncDirectory(dirname(this.#path));
  }

  /** Gives up: nothing is left behind, and what stood at the path still does. Does nothing after `publish`. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(ignoreClosed);
    await rm(this.temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const lines = this.#buffer.subarray(0, this.#filled);
    this.#onLines(lines);
    await this.#wrap(() => this.#handle.writeFile(lines));
    this.#filled = 0;
  }

  async #wrap(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw unwritable(this.#path, error as Error);
    }
  }
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EBADF') throw error;
}

async function refuseIrregular(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw unwritable(path, error);
  });
  const refusal = found === null ? null : irregular(path, found);
  if (refusal !== null) throw refusal;
}
