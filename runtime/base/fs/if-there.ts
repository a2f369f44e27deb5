import { isSystemError, stateUnreadable } from './state-error.ts';

/** These say for certain that there is no such file; any other failure says nothing about it. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

export function isAbsent(error: unknown): boolean {
  return ABSENT.includes((error as NodeJS.ErrnoException).code);
}

/** What was asked about a file of the run, null where there is no such file; any other failure is told with the path. */
export async function ifThere<T>(path: string, asked: Promise<T>): Promise<T | null> {
  return asked.catch((cause: unknown) => {
    if (isAbsent(cause)) return null;
    throw isSystemError(cause) ? stateUnreadable(path, cause) : cause;
  });
}
