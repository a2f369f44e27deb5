/** lmdb rejects a failed commit with an error that only holds a promise of the true reason, `commitError`. */
export async function commitCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error) || !(error.commitError instanceof Promise)) return error;
  return error.commitError.then(
    () => error,
    (reason: unknown) => reason,
  );
}
