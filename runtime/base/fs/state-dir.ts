import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RolloutError } from '../errors.ts';
import { syncDirectory } from './atomic-file.ts';
import { isNoSpace } from './disk-space.ts';
import { explained } from './refusal.ts';

const OWNER_ONLY = 0o700;
const OTHERS = 0o077;

/** A missing or an empty directory becomes its owner's alone; one that is in use keeps what its owner has given it. */
export async function makeStateDir(dir: string, sync: (path: string) => Promise<void> = syncDirectory): Promise<void> {
  try {
    // The run is lost after a power cut where the name of its directory is.
    for (const made of await makeAll(dir)) await sync(dirname(made));
    if (((await stat(dir)).mode & OTHERS) !== 0 && (await readdir(dir)).length === 0) await chmod(dir, OWNER_ONLY).catch(unlessOfAnother);
  } catch (error) {
    throw stateUnusable(dir, error);
  }
}

/** As `recursive: true`, which never ends below a directory in which nothing can be made, such as /proc. Answers what it made, the outermost first. */
async function makeAll(dir: string): Promise<readonly string[]> {
  const error = await mkdir(dir, OWNER_ONLY).then(
    () => null,
    (cause: NodeJS.ErrnoException) => cause,
  );
  if (error === null) return [dir];
  if (error.code === 'EEXIST') return [];
  const isParentThere = await stat(dirname(dir)).then(
    () => true,
    () => false,
  );
  if (error.code !== 'ENOENT' || isParentThere) throw error;
  const above = await makeAll(dirname(dir));
  await mkdir(dir, OWNER_ONLY);
  return [...above, dir];
}

/** A full disk stays the system's error: there it is waited for. */
export function stateUnusable(dir: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof RolloutError || isNoSpace(error) || code === undefined) return error;
  const meaning = explained(error, { ENOENT: 'a part of the path is missing' });
  const why = meaning === null ? message : `${meaning} (${message})`;
  return new RolloutError('STATE_UNREADABLE', `cannot keep the run in ${dir}: ${why}; name another directory for the state (--state)`, {
    cause: error,
  });
}

/** Files that are made in it are still their owner's alone. */
function unlessOfAnother(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPERM') throw error;
}
