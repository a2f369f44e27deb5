import { join } from 'node:path';
import { makeDirectory, syncDirectory, told } from '../base/fs/atomic-file.ts';
import { type Disk, systemDisk } from '../base/fs/disk.ts';
import { stateUnreadable } from '../base/fs/state-error.ts';
import type { Epoch } from '../model/row.ts';

/**
 * The mark of a state directory: the highest epoch of its run that any coordinator of it has won or seen, kept outside the store (L3).
 *
 * It is a folder with an empty file for each epoch, whose name is the number; the highest name counts. Names are only ever added: several
 * coordinators share a directory, and one that was stopped on its way to write an old epoch must not lower what another one has written. A
 * client of NFS may show names some seconds late; a win against an old store then fails where its segment is made (L17).
 */

const FILE_MODE = 0o600;
/** An epoch has 32 bits. */
const EPOCH_NAME = /^\d{1,10}$/;

/** -1 for none. */
export async function readEpochMark(dir: string, disk: Disk = systemDisk): Promise<number> {
  const names = await disk.readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw stateUnreadable(dir, error);
  });
  return names.filter((name) => EPOCH_NAME.test(name)).reduce((highest, name) => Math.max(highest, Number(name)), -1);
}

/** On disk when it resolves. Writes only where the mark is lower. */
export async function raiseEpochMark(dir: string, epoch: Epoch, disk: Disk = systemDisk): Promise<void> {
  await told(dir, async () => {
    if (epoch > (await readEpochMark(dir, disk))) await addName(dir, epoch, disk);
    // Also where another process has added the name: it may have died before that was on disk.
    await syncDirectory(dir, disk);
  });
}

async function addName(dir: string, epoch: Epoch, disk: Disk): Promise<void> {
  await makeDirectory(dir, disk);
  try {
    const file = await disk.open(join(dir, String(epoch)), 'wx', FILE_MODE);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
