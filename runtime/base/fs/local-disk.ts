import { readFile, realpath, statfs } from 'node:fs/promises';
import { RolloutError } from '../errors.ts';
import { mountOf, parseMounts } from '../process/mounts.ts';

/**
 * File systems that only one machine can have mounted for writing, by their statfs(2) type. Memory-mapped stores and locks are safe only
 * on these, and only there does a different boot id mean an earlier boot of this machine. All others are refused: network file systems
 * (NFS, CIFS, CephFS), and FUSE and hypervisor shares, where it is not known what lies behind them.
 */
const LOCAL_TYPES: ReadonlyMap<number, string> = new Map([
  [0x0000ef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x2fc12fc1, 'ZFS'],
  [0xca451a4e, 'bcachefs'],
  [0xf2f52010, 'F2FS'],
  [0x3153464a, 'JFS'],
  [0x00003434, 'NILFS2'],
  [0x52654973, 'ReiserFS'],
  [0x794c7630, 'overlay'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

/** A file system as the system describes it. */
export interface FileSystem {
  readonly type: number;
  /** Null where it is not known. */
  readonly name: string | null;
}

/** Some kernels tell the type as a negative number. */
export function isLocal({ type }: Pick<FileSystem, 'type'>): boolean {
  return LOCAL_TYPES.has(type >>> 0);
}

/** Only Linux numbers its file systems for good; elsewhere nothing is refused. */
export async function requireLocalDisk(dir: string, look: (dir: string) => Promise<FileSystem> = fileSystemOf): Promise<void> {
  if (process.platform !== 'linux') return;
  const found = await look(dir);
  if (isLocal(found)) return;
  const name = found.name ?? `a file system of type 0x${(found.type >>> 0).toString(16)}`;
  throw new RolloutError(
    'NETWORK_FILE_SYSTEM',
    `${dir} lies on ${name}, which is not known to belong to this machine alone: a store on it would be damaged, and two machines would take each other's run over. Put the state directory on a local disk (${[...LOCAL_TYPES.values()].join(', ')}): --state DIR, or stateDir in the settings file; the output may stay where it is.`,
  );
}

async function fileSystemOf(dir: string): Promise<FileSystem> {
  const { type } = await statfs(dir);
  if (isLocal({ type })) return { type, name: null };
  const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  return { type, name: mountOf(mounts, await realpath(dir))?.fileSystem ?? null };
}
