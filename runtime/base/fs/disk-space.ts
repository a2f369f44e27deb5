import { formatSize } from '../config/quantity.ts';

/** Whether a disk has room for what is about to be written. Pure; free-space.ts asks the disk. */

/** What statfs(2) tells of a file system, as far as it is needed here. */
export interface DiskNumbers {
  /** Blocks that a process without privileges may use: what a system keeps back for root is not for us. */
  readonly bavail: number;
  readonly bsize: number;
  /** 0 where the file system does not count its files (btrfs). */
  readonly files: number;
  readonly ffree: number;
}

/** What a person can do about a shortage, whoever waits for its end. */
export const SPACE_ADVICE = 'free some there, and it goes on by itself';

/** A start makes some ten files and directories; a disk without inodes refuses them however many bytes are free. */
const MIN_FREE_FILES = 32;

/** What is missing, in words that name the path; null where there is enough. */
export function shortageOf(dir: string, numbers: DiskNumbers, wantedBytes: number): string | null {
  const freeBytes = numbers.bavail * numbers.bsize;
  if (freeBytes < wantedBytes) return `no space in ${dir}: ${formatSize(freeBytes)} are free, ${formatSize(wantedBytes)} are wanted`;
  if (numbers.files > 0 && numbers.ffree < MIN_FREE_FILES)
    return `no space in ${dir}: its file system has room for ${numbers.ffree} more files, ${MIN_FREE_FILES} are wanted`;
  return null;
}

/** Codes of a write that found no space: by the system's name, and by its number where LMDB passes that on (Linux, macOS). */
const NO_SPACE_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 28, 122, 69]);

/** Whether an error, or what caused it, is that of a full disk. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && NO_SPACE_CODES.has(error.code)) || isNoSpace(error.cause);
}
