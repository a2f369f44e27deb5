import { type Disk, systemDisk } from './disk.ts';

/** The text of a file, null where there is none; any other failure rejects with the system's error. */
export async function readTextIfThere(path: string, disk: Pick<Disk, 'readFile'> = systemDisk): Promise<string | null> {
  try {
    return await disk.readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
