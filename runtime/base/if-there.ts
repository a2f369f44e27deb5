import { RolloutError } from './errors.ts';

/** These say for certain that there is no such file; any other failure says nothing about it. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

export function isAbsent(error: unknown): boolean {
  return ABSENT.includes((error as NodeJS.ErrnoException).code);
}

/** What was asked about a file of the run, null where there is no such file; any other failure is told with the path. */
export async function ifThere<T>(path: string, asked: Promise<T>): Promise<T | null> {
  return asked.catch((cause: NodeJS.ErrnoException) => {
    if (isAbsent(cause)) return null;
    throw new RolloutError(
      'STATE_UNREADABLE',
      `cannot read ${path} (${cause.message}): check its owner and mode and the disk, and give the command again`,
      { cause },
    );
  });
}
