import { dirname } from 'node:path';
import { systemRandom } from '../random.ts';
import { type Disk, type DiskFile, systemDisk } from './disk.ts';
import { isSystemError, stateUnwritable } from './state-error.ts';

/** The files of a run hold what only its owner may read; a file for others is given its mode by name. */
const DEFAULT_MODE = 0o600;

/**
 * Replaces the file at `path` as a whole: a reader, or a process that starts after a crash, finds the old contents or the new
 * ones. When it resolves the contents and the name are on disk. A failure is told with the path, the cause and the way out.
 */
export async function writeFileAtomic(
  path: string,
  contents: Uint8Array | string,
  mode: number = DEFAULT_MODE,
  disk: Disk = systemDisk,
): Promise<void> {
  await told(path, async () => {
    const temporary = await writeTemporary(disk, path, contents, mode);
    try {
      await disk.rename(temporary, path);
    } catch (error) {
      await disk.rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(path), disk);
  });
}

/**
 * Makes the file at `path` with its whole contents, unless there is one: false where another was first, and its contents stand.
 * So of several processes that try at once exactly one gets true, and nobody ever sees half a file.
 */
export async function createFileAtomic(
  path: string,
  contents: Uint8Array | string,
  mode: number = DEFAULT_MODE,
  disk: Disk = systemDisk,
): Promise<boolean> {
  return told(path, async () => {
    const temporary = await writeTemporary(disk, path, contents, mode);
    try {
      await disk.link(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await disk.rm(temporary, { force: true });
    }
    await syncDirectory(dirname(path), disk);
    return true;
  });
}

/** What the system refuses is told with the path that was meant, and not with that of a temporary file alone. */
export async function told<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isSystemError(error) ? stateUnwritable(path, error) : error;
  }
}

/**
 * Makes the folder, and those above it that are missing; its name and theirs are on disk when it resolves. That holds also where another
 * process made it, which may have died before it synced the name.
 */
export async function makeDirectory(path: string, disk: Disk = systemDisk): Promise<void> {
  const first = (await disk.mkdir(path, { recursive: true })) ?? path;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made), disk);
}

/** Makes the names in a directory durable, and its own. */
export async function syncNames(path: string): Promise<void> {
  await syncDirectory(path);
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory durable: a new or renamed file may else be gone after a power cut. */
export async function syncDirectory(path: string, disk: Disk = systemDisk): Promise<void> {
  const handle = await disk.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTemporary(disk: Disk, path: string, contents: Uint8Array | string, mode: number): Promise<string> {
  const temporary = `${path}.${systemRandom.hex(6)}.tmp`;
  const handle = await disk.open(temporary, 'wx', mode);
  try {
    await fill(handle, contents, mode);
  } catch (error) {
    await disk.rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

async function fill(handle: DiskFile, contents: Uint8Array | string, mode: number): Promise<void> {
  // The umask takes bits away from the mode of open; what was asked for is what must stand.
  await handle.chmod(mode);
  await handle.writeFile(contents);
  await handle.sync();
}
