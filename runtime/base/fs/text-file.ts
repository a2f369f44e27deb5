import { type Disk, systemDisk } from './disk.ts';
import { ifThere } from './if-there.ts';

/** The text of a file of the run, null where there is none; any other failure is told with the path. */
export async function readTextIfThere(path: string, disk: Pick<Disk, 'readFile'> = systemDisk): Promise<string | null> {
  return ifThere(path, disk.readFile(path, 'utf8'));
}
