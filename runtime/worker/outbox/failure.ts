import { RolloutError } from '../../base/errors.ts';

/** What came between the worker and its store, with the place and what to do. */
export function storeFailed(dir: string, cause: unknown): RolloutError {
  // The log's own words are about the results of a run.
  if (cause instanceof RolloutError && cause.code !== 'RESULT_LOG_FAILED') return cause;
  const root = cause instanceof RolloutError ? (cause.cause ?? cause) : cause;
  const reason = root instanceof Error ? root.message : String(root);
  return new RolloutError(
    'STORE_FAILED',
    `the worker's store in ${dir} cannot be used (${reason}): check that the folder is writable and the disk is not full`,
    { cause },
  );
}
