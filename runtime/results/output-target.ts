import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RolloutError } from '../base/errors.ts';

/** Where an export is to write, and what it must not write over. */
export interface OutputTarget {
  readonly outputPath: string;
  readonly errorsPath: string;
  /** Null for standard input, which no file is. */
  readonly inputPath: string | null;
}

/** Refuses, before anything is executed, what could not be written at the end, or would take the place of the input. */
export async function checkOutputTarget({ outputPath, errorsPath, inputPath }: OutputTarget): Promise<void> {
  await requireDirectory(outputPath);
  const input = inputPath === null ? null : await statIfThere(inputPath);
  for (const path of [outputPath, errorsPath]) {
    const there = await statIfThere(path);
    if (there !== null) refuseTarget(path, there, input);
  }
}

function refuseTarget(path: string, there: Stats, input: Stats | null): void {
  if (input !== null && there.dev === input.dev && there.ino === input.ino)
    throw new RolloutError('USAGE', `writing ${path} would overwrite the input: give another --output`);
  if (there.isDirectory()) throw new RolloutError('OUTPUT_UNWRITABLE', `${path} is a directory; name a file for the output`);
  // The finished file takes the place of what stands there: a device or a pipe would be gone.
  if (!there.isFile()) throw new RolloutError('OUTPUT_UNWRITABLE', `${path} is no regular file; name a file for the output`);
}

async function requireDirectory(outputPath: string): Promise<void> {
  const dir = dirname(outputPath);
  if ((await statIfThere(dir))?.isDirectory()) return;
  throw new RolloutError('OUTPUT_UNWRITABLE', `there is no directory ${dir} for the output; make it, or name another output`);
}

async function statIfThere(path: string): Promise<Stats | null> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new RolloutError('OUTPUT_UNWRITABLE', `cannot look at ${path}: ${error.message}`, { cause: error });
  });
}
