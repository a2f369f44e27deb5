import { statfs } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';

/** statfs(2) types of file systems where mapped memory and locks do not hold between hosts. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'CephFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

export function networkFileSystem(type: number): string | null {
  return NETWORK_FILE_SYSTEMS.get(type >>> 0) ?? null;
}

export async function requireLocalDisk(dir: string, typeOf: (dir: string) => Promise<number> = fileSystemType): Promise<void> {
  const name = networkFileSystem(await typeOf(dir));
  if (name === null) return;
  throw new RolloutError(
    'NETWORK_FILE_SYSTEM',
    `${dir} lies on ${name}, a network file system, where the embedded store would be damaged. Put the state directory on a local disk (--state DIR).`,
  );
}

async function fileSystemType(dir: string): Promise<number> {
  return (await statfs(dir)).type;
}
