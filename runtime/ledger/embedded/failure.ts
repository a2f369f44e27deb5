import { AssertionFailed } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { isNoSpace } from '../../base/fs/disk-space.ts';
import { commitCause } from './commit-cause.ts';

/** LMDB's own codes (lmdb.h) that say: this file is not one of ours, or it is damaged. */
const UNREADABLE_CODES: ReadonlySet<unknown> = new Set([-30797, -30796, -30794, -30793]);

/** An LMDB exception as an error for people; what happened to the transaction is not known. */
export async function storeFailure(dir: string, error: unknown): Promise<Error> {
  if (error instanceof RolloutError || error instanceof AssertionFailed) return error;
  const cause = await commitCause(error);
  const said = cause instanceof Error ? cause.message : String(cause);
  if (isCoded(cause) && UNREADABLE_CODES.has(cause.code)) {
    return new RolloutError(
      'STATE_UNREADABLE',
      `The store in ${dir} cannot be read (${said}). If it is damaged, restore a copy of the state directory, or start over with --fresh.`,
      { cause },
    );
  }
  if (isNoSpace(cause)) return noSpace(dir, cause);
  return new RolloutError(
    'STORE_FAILED',
    `The store in ${dir} failed (${said}). Check that the disk has space left and that the directory may be written, then run the same command again.`,
    { cause },
  );
}

export function noSpace(dir: string, cause?: unknown): RolloutError {
  const message = `The store in ${dir} failed (No space left on device). Free some space there, then run the same command again; what is recorded is kept.`;
  return new RolloutError('STORE_FAILED', message, { cause });
}

function isCoded(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && 'code' in error;
}
