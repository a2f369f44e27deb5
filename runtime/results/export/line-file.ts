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
  #buffer: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.#path = path;
    this.temporary = temporary;
    this.#handle = handle;
  }

  /** Begins a file beside its target, with the permissions that it will have; refuses a target that could not be replaced. */
  static async create(given: string, mode: number): Promise<LineFile> {
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
    return new LineFile(path, temporary, handle);
  }

  /** Takes a line, which it copies, and ends it. */
  async add(line: Uint8Array): Promise<void> {
    if (this.#filled + line.length + 1 > this.#buffer.length) await this.#flush(line.length + 1);
    this.#buffer.set(line, this.#filled);
    this.#filled += line.length;
    this.#buffer[this.#filled++] = LINE_FEED;
  }

  /** The contents are on disk, not yet under their name. */
  async complete(): Promise<void> {
    await this.#flush(0);
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

  async #flush(room: number): Promise<void> {
    await this.#wrap(() => this.#handle.writeFile(this.#buffer.subarray(0, this.#filled)));
    this.#filled = 0;
    if (room > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(room);
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
