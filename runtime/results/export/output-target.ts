import type { Stats } from 'node:fs';
import { open, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { wayInside } from '../../base/fs/path-inside.ts';
import { longestTemporaryName } from '../../base/fs/temporary-file.ts';
import { irregular, isKept, isOfProcess, ofAnotherUser, ofProcess, unwritable } from '../../format/unwritable.ts';

/** Where an export is to write, and what it must not write over. */
export interface OutputTarget {
  readonly outputPath: string;
  readonly errorsPath: string;
  /** Null for standard input, which no file is. */
  readonly inputPath: string | null;
  /** Left out where the export is none of a run in a directory of its own. */
  readonly stateDir?: string;
}

/**
 * Refuses, before anything is executed, what could not be written at the end, or would take the place of the input. Whose a file is that
 * stands there already is asked by output-guard.ts.
 */
export async function checkOutputTarget({ outputPath, errorsPath, inputPath, stateDir }: OutputTarget): Promise<void> {
  const input = inputPath === null ? null : await statIfThere(inputPath);
  for (const path of [outputPath, errorsPath]) {
    await refuseProcessFile(path);
    const there = await statIfThere(path);
    if (there !== null) refuseTarget(path, there, input);
    const real = await realTarget(path);
    await requireDirectory(path, dirname(real));
    if (stateDir !== undefined) await refuseInside(path, real, stateDir);
    await tryToWrite(path, real);
  }
}

/** The file that is written: a link keeps standing, and what it names need not be there yet. */
export async function realTarget(path: string): Promise<string> {
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw unwritable(path, error);
  });
  if (real !== null) return real;
  // A link to nothing; any other name is simply not there.
  const named = await readlink(path).catch(() => null);
  if (named !== null) return realTarget(resolve(dirname(path), named));
  return join(await realpath(dirname(path)).catch(() => resolve(dirname(path))), basename(path));
}

/** What a writer keeps its temporary files under, beside the file itself. */
export function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

function refuseTarget(path: string, there: Stats, input: Stats | null): void {
  if (input !== null && there.dev === input.dev && there.ino === input.ino)
    throw new RolloutError('USAGE', `writing ${path} would overwrite the input: give another --output`);
  const refusal = irregular(path, there);
  if (refusal !== null) throw refusal;
}

/** Such a link may lead to a regular file: a shell writes there what this process prints. */
async function refuseProcessFile(path: string): Promise<void> {
  let at = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const dir = await realpath(dirname(at)).catch(() => dirname(at));
    if (isOfProcess(at) || isOfProcess(join(dir, basename(at)))) throw ofProcess(path);
    const named = await readlink(at).catch(() => null);
    if (named === null) return;
    at = resolve(dirname(at), named);
  }
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

async function requireDirectory(path: string, dir: string): Promise<void> {
  if ((await statIfThere(dir))?.isDirectory()) return;
  throw new RolloutError('OUTPUT_UNWRITABLE', `cannot write ${path}: there is no directory ${dir}; make it, or name another output`);
}

/** The state directory is removed or moved aside as a whole, and its files are the run's own. */
async function refuseInside(path: string, real: string, stateDir: string): Promise<void> {
  const state = await realpath(stateDir).catch(() => resolve(stateDir));
  if (wayInside(state, real) === null) return;
  throw new RolloutError('USAGE', `${path} lies in the state directory ${stateDir}: name a file outside of it for the output`);
}

/** Makes a file as the export will, under the longest name that it may take, and removes it. */
async function tryToWrite(path: string, real: string): Promise<void> {
  const trial = join(dirname(real), await longestTemporaryName(temporaryPrefix(real)));
  try {
    await (await open(trial, 'wx', 0o600)).close();
  } catch (error) {
    throw unwritable(path, error as Error);
  } finally {
    await rm(trial, { force: true }).catch(() => undefined);
  }
  await refuseKept(path, real);
}

async function refuseKept(path: string, real: string): Promise<void> {
  const [file, folder] = [await statIfThere(real), await statIfThere(dirname(real))];
  if (file !== null && folder !== null && isKept(file, folder, process.geteuid?.() ?? 0)) throw ofAnotherUser(path);
}

async function statIfThere(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw unwritable(path, error);
  });
}
