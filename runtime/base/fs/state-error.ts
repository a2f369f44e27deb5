import { RolloutError } from '../errors.ts';
import { explained, type Remedies } from './refusal.ts';

const FREE_SPACE = 'free some, or choose another place with --state DIR, and run the same command again';

/** What can be done where a file below the state directory cannot be read or written. Pure. */
const REMEDIES: Remedies = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EACCES: 'correct the owner and the mode of the file and its directory, and run the same command again',
  EPERM: 'correct the owner and the attributes of the file, and run the same command again',
  EROFS: 'mount it for writing, or choose another place with --state DIR',
  EIO: 'the log of the system (dmesg) says more; copy the state directory to another disk, and go on there with --state DIR',
  ENOENT: 'its directory is gone: put the state directory back, and run the same command again',
  EISDIR: 'move it away, and run the same command again',
};

const OTHER_REMEDY = 'check its owner and mode and the disk, and give the command again';

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
  const { message } = cause as Error;
  return new RolloutError(code, `cannot ${verb} ${path} (${message}): ${explained(cause, REMEDIES, OTHER_REMEDY)}`, { cause });
}
