import { RolloutError } from '../base/errors.ts';

/** Why a file cannot be written, and the way out, by the system's code. Pure. */

/** ext4, XFS, APFS and most others. */
const LONGEST_NAME_BYTES = 255;

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there: change the permissions of the directory, or name a file in another one',
  EPERM: 'the system forbids it to this user: change the owner or the attributes of the file and its directory, or name another file',
  EROFS: 'the file system is mounted read-only: name a file on another one',
  ENAMETOOLONG: `a name may have ${LONGEST_NAME_BYTES} bytes, with \`.errors.jsonl\` and what a temporary file adds: name a shorter one`,
  ENOENT: 'the directory is missing: make the directory, or name a file in another one',
  ENOTDIR: 'a part of the path is no directory: name a file in a directory',
  ELOOP: 'its links go round in a circle: name another file',
  ENOSPC: 'the disk is full: free some space there and give the same command again; nothing of what is recorded is lost',
  EDQUOT: 'the disk quota is used up: free some space there and give the same command again; nothing of what is recorded is lost',
  EMFILE: 'this process has too many files open: raise the limit (`ulimit -n 1024`) and give the same command again',
  ENFILE: 'the system has too many files open: end other programs, and give the same command again',
};

export function unwritable(path: string, cause: Error): RolloutError {
  const advice = ADVICE[(cause as NodeJS.ErrnoException).code ?? ''];
  return new RolloutError('OUTPUT_UNWRITABLE', `cannot write ${path}: ${cause.message}${advice === undefined ? '' : `; ${advice}`}`, {
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
