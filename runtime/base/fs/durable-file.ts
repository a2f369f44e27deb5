import { constants, type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { isLocal } from './local-disk.ts';

/** A file that is appended to: the bytes that a write took are on disk when it resolves. */
export interface DurableFile {
  /** Writes the bytes from `offset` on at the end of the file; maybe not all of them. Where it rejects, nobody knows what stands there. */
  write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>;
  close(): Promise<void>;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = constants;

/**
 * Makes the file at `path`, where there must be none; its name is not on disk yet. With O_DSYNC the system syncs in the call that writes,
 * which takes one turn in the thread pool and not two; what it promises is that of fdatasync: the bytes, and the length of the file.
 */
export async function createDurable(path: string): Promise<DurableFile> {
  return (await heedsDsync(dirname(path))) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC) : syncedFile(await open(path, 'wx'));
}

/**
 * Whether O_DSYNC is as good as a sync. On macOS it leaves the bytes in the drive's cache, which `datasync` empties. Network and FUSE file
 * systems may not heed it.
 */
async function heedsDsync(dir: string): Promise<boolean> {
  return process.platform === 'linux' && isLocal(await statfs(dir));
}

/** Where O_DSYNC is not as good: each write with a sync of its own. */
export function syncedFile(handle: Pick<FileHandle, 'write' | 'datasync' | 'close'>): DurableFile {
  return {
    write: async (bytes, offset) => {
      const written = await handle.write(bytes, offset);
      await handle.datasync();
      return written;
    },
    close: () => handle.close(),
  };
}
