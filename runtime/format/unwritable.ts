import { RolloutError } from '../base/errors.ts';
import { explained, type Remedies } from '../base/fs/refusal.ts';

/** Why a file of the output cannot be written, and the way out. Pure. */

/** ext4, XFS, APFS and most others. */
const LONGEST_NAME_BYTES = 255;

const FREE_SPACE = 'free some space there and give the same command again; nothing of what is recorded is lost';

const REMEDIES: Remedies = {
  EACCES: 'change the permissions of the directory, or name a file in another one',
  EPERM: 'change the owner or the attributes of the file and its directory, or name another file',
  EROFS: 'name a file on another one',
  ENAMETOOLONG: `it may have ${LONGEST_NAME_BYTES} bytes, with \`.errors.jsonl\` and what a temporary file adds; name a shorter one`,
  ENOENT: 'the directory is missing: make the directory, or name a file in another one',
  ENOTDIR: 'name a file in a directory',
  ELOOP: 'name another file',
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
};

export function unwritable(path: string, cause: Error): RolloutError {
  const advice = explained(cause, REMEDIES);
  return new RolloutError('OUTPUT_UNWRITABLE', `cannot write ${path}: ${cause.message}${advice === null ? '' : `; ${advice}`}`, {
    cause,
  });
}

interface Owned {
  readonly uid: number;
  readonly mode: number;
}

const STICKY = 0o1000;

/** In a folder such as /tmp only root and the owner of a file, or of the folder, may replace it. */
export function isKept(file: Owned, folder: Owned, user: number): boolean {
  return (folder.mode & STICKY) !== 0 && user !== 0 && file.uid !== user && folder.uid !== user;
}

export function ofAnotherUser(path: string): RolloutError {
  return new RolloutError(
    'OUTPUT_UNWRITABLE',
    `cannot replace ${path}: it belongs to another user, in a folder where only owners may replace files; name another file`,
  );
}

/** What `stat` tells of a path. */
interface Kind {
  isFile(): boolean;
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

/** The finished file takes the place of what stands at its path: a device or a pipe would be gone, and whoever reads it would wait on. */
export function irregular(path: string, there: Kind): RolloutError | null {
  if (there.isFile()) return null;
  return new RolloutError(
    'OUTPUT_UNWRITABLE',
    `${path} is ${kindName(there)}, and results need a regular file: name another one for the output`,
  );
}

function kindName(there: Kind): string {
  if (there.isDirectory()) return 'a directory';
  if (there.isFIFO()) return 'a pipe';
  return there.isSocket() ? 'a socket' : 'a device';
}

/** Below these names are the open files of processes: what they lead to is written by its descriptor, and not by a name. */
const OF_A_PROCESS = /^\/(?:proc\/[^/]+\/(?:task\/[^/]+\/)?fd\/|dev\/(?:std(?:in|out|err)$|fd\/))/;

export function isOfProcess(path: string): boolean {
  return OF_A_PROCESS.test(path);
}

export function ofProcess(path: string): RolloutError {
  return new RolloutError(
    'OUTPUT_UNWRITABLE',
    `${path} stands for an open file of a process, and results appear whole, under their name, at the end: name a file for the output, and read that when the run has ended`,
  );
}
