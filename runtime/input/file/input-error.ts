import { type ErrorCode, RolloutError } from '../../base/errors.ts';
import { explained, type Remedies } from '../../base/fs/refusal.ts';

const REMEDIES: Remedies = {
  ENOENT: 'there is no such file: check the path',
  EACCES: 'check its permissions',
  EISDIR: 'name a file',
};

export function unreadable(path: string, cause: unknown): RolloutError {
  const why = explained(cause, REMEDIES) ?? (cause as Error).message;
  return new RolloutError('INPUT_UNREADABLE', `cannot read the input ${path}: ${why}`, { cause });
}

export function inputChanged(path: string, what: string): RolloutError {
  return new RolloutError(
    'INPUT_CHANGED',
    `the input ${path} ${what} while the run was using it: restore the file and run the same command again, with --extend where lines were only added at its end, or begin a new run with --fresh`,
  );
}

/** The line that is there is not the one that was indexed, or there is none. */
export function lineChanged(path: string, lineNumber: number): RolloutError {
  return new RolloutError(
    'INPUT_CHANGED',
    `line ${lineNumber} of the input ${path} is not the one that this run has indexed: the file was exchanged or edited, and nothing of the new one was sent; put the old file back and run the same command again, or begin a new run with --fresh`,
  );
}

/** An error as it crosses from one thread to another, where classes do not. */
export interface ErrorMessage {
  readonly code: ErrorCode | null;
  readonly message: string;
}

export function toErrorMessage(error: unknown): ErrorMessage {
  if (error instanceof RolloutError) return { code: error.code, message: error.message };
  return { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromErrorMessage({ code, message }: ErrorMessage): Error {
  return code === null ? new Error(message) : new RolloutError(code, message);
}
