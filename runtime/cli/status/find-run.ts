import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import { statePaths } from '../../run-dir/paths.ts';

/** Directories below this depth are not searched: a run lies beside its output, and a search of a whole disk helps nobody. */
const SEARCH_DEPTH = 3;
/** A person wants one of the last; the message stays short. */
const SHOWN_RUNS = 5;

/** The state directory that a verb works on: the named one, else the only one below `folder`. */
export async function findRun(folder: string, state: string | undefined): Promise<string> {
  if (state !== undefined) return checkNamed(resolve(folder, state));
  const closed: string[] = [];
  return chooseRun(folder, await newestFirst(await listRuns(folder, SEARCH_DEPTH, closed)), closed);
}

/** `found`: the newest first; `closed`: directories below the folder that may not be looked into, often those of other users. */
export function chooseRun(folder: string, found: readonly string[], closed: readonly string[] = []): string {
  const [only, ...others] = found;
  if (only === undefined) {
    const where = closed.length === 0 ? folder : `${folder}, where ${closed.join(', ')} may not be looked into`;
    throw new RolloutError('USAGE', `no run below ${where}: name its state directory with --state DIR (it is <output>.rollout)`);
  }
  if (others.length === 0) return only;
  const shown = found.slice(0, SHOWN_RUNS).map((path) => `\n  --state ${path}`);
  const rest = found.length > SHOWN_RUNS ? `\n  and ${found.length - SHOWN_RUNS} more` : '';
  throw new RolloutError(
    'USAGE',
    `${found.length} runs below ${folder}: name one with --state, the newest are\n${shown.join('').slice(1)}${rest}`,
  );
}

/** By the last change of what is in them. */
async function newestFirst(found: readonly string[]): Promise<readonly string[]> {
  const dated = await Promise.all(found.map(async (path) => ({ path, ms: (await ifThere(path, stat(path)))?.mtimeMs ?? 0 })));
  return dated.toSorted((a, b) => b.ms - a.ms).map(({ path }) => path);
}

async function checkNamed(path: string): Promise<string> {
  if (await isRun(path)) return path;
  throw new RolloutError('USAGE', `${path} is not the state directory of a run: there is no run.json in it`);
}

async function listRuns(folder: string, depth: number, closed: string[]): Promise<readonly string[]> {
  const entries = await listFolder(folder, closed);
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.name.endsWith('.rollout')) {
      if (await isRun(path)) found.push(path);
    } else if (depth > 1) found.push(...(await listRuns(path, depth - 1, closed)));
  }
  return found;
}

async function listFolder(folder: string, closed: string[]): Promise<readonly Dirent[]> {
  const listed = readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    closed.push(folder);
    return [];
  });
  return (await ifThere(folder, listed)) ?? [];
}

async function isRun(path: string): Promise<boolean> {
  const { runFile } = statePaths(path);
  return (await ifThere(runFile, stat(runFile)))?.isFile() ?? false;
}
