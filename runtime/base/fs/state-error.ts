import { RolloutError } from '../errors.ts';

/** What stands in the way of a file below the state directory, and the way out, by the system's code. Pure. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left: free some, or choose another place with --state DIR, and run the same command again',
  EDQUOT:
    'the disk quota is used up, so that no space is left: free some, or choose another place with --state DIR, and run the same command again',
  EACCES: 'this user may not do that: correct the owner and the mode of the file and its directory, and run the same command again',
  EPERM: 'the system forbids it to this user: correct the owner and the attributes of the file, and run the same command again',
  EROFS: 'the file system is mounted read-only: mount it for writing, or choose another place with --state DIR',
  EIO: 'the disk has failed: the log of the system (dmesg) says more; copy the state directory to another disk, and go on there with --state DIR',
  ENOENT: 'its directory is gone: put the state directory back, and run the same command again',
  EMFILE: 'this process has too many files open: raise the limit (`ulimit -n 1024`), and run the same command again',
  ENFILE: 'the system has too many files open: end other programs, and run the same command again',
  EISDIR: 'it is a directory: move it away, and run the same command again',
};

const OTHER_ADVICE = 'check its owner and mode and the disk, and give the command again';

export function stateUnreadable(path: string, cause: unknown): RolloutError {
  return stateError('STATE_UNREADABLE', 'read', path, cause);
}

/** What is recorded is kept: trying again can help. */
export function stateUnwritable(path: string, cause: unknown): RolloutError {
  return stateError('STORE_FAILED', 'write', path, cause);
}

/** What the operating system refuses. Anything else is a bug, or has been told by name already. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof RolloutError) && typeof (error as NodeJS.ErrnoException).code === 'string';
}

function stateError(code: 'STATE_UNREADABLE' | 'STORE_FAILED', verb: string, path: string, cause: unknown): RolloutError {
  if (cause instanceof RolloutError) return cause;
  const { code: of = '', message } = cause as NodeJS.ErrnoException;
  return new RolloutError(code, `cannot ${verb} ${path} (${message}): ${ADVICE[of] ?? OTHER_ADVICE}`, { cause });
}
