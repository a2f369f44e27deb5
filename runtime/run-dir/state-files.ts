import { dirname, resolve } from 'node:path';
import { RolloutError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/fs/atomic-file.ts';
import { wayInside } from '../base/fs/path-inside.ts';
import { readTextIfThere } from '../base/fs/text-file.ts';
import type { Epoch } from '../model/row.ts';
import type { ItemForm } from '../model/session.ts';

/** Who serves the run from this directory, for those who look for it. */
export interface Serving {
  readonly address: string;
  /** host:port of its health endpoints; null for none. */
  readonly http: string | null;
  readonly pid: number;
  readonly epoch: Epoch;
  readonly run: ServedRun;
}

/** What status, export and verify need to know of the run; paths are absolute. */
export interface ServedRun {
  readonly inputPath: string;
  readonly outputPath: string;
  /** Permissions of the output files. */
  readonly outputMode: number;
  readonly tlsDir: string;
  readonly order: 'input' | 'completion';
  readonly form: ItemForm;
  readonly limit: number | null;
  readonly maxLineBytes: number;
}

/** Null where no coordinator has served from this directory yet. */
export async function readServing(path: string): Promise<Serving | null> {
  const text = await readTextIfThere(path);
  if (text === null) return null;
  try {
    const serving = JSON.parse(text) as Serving;
    return { ...serving, run: withPaths(serving.run, (one) => resolve(dirname(path), one)) };
  } catch (cause) {
    throw new RolloutError('STATE_UNREADABLE', `${path} is damaged: give the run's command again, which rewrites it`, { cause });
  }
}

export async function writeServing(path: string, serving: Serving): Promise<void> {
  const stored = { ...serving, run: withPaths(serving.run, (one) => relativeInside(dirname(path), one)) };
  await writeFileAtomic(path, `${JSON.stringify(stored)}\n`);
}

function withPaths(run: ServedRun, map: (path: string) => string): ServedRun {
  return { ...run, inputPath: map(run.inputPath), outputPath: map(run.outputPath), tlsDir: map(run.tlsDir) };
}

/** What lies inside the state directory moves with it, so the file names it from there. */
function relativeInside(dir: string, path: string): string {
  const way = wayInside(dir, path);
  return way === null || way === '' ? path : way;
}
