import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { ifThere } from '../base/if-there.ts';
import { readTextIfThere } from '../base/text-file.ts';
import { errorsPath } from '../results/output-line.ts';
import type { StatePaths } from './paths.ts';

/**
 * A mark that the output files of a finished run stand. Without it files that happen to be there may be those of an earlier run:
 * all processes may have been killed between the last item and the export. A retry begins under a later epoch, and its files with it.
 */
export async function markExported(paths: StatePaths, output: string, epoch: number): Promise<void> {
  await writeFileAtomic(markPath(paths), JSON.stringify({ output, epoch }));
}

/** More is to be recorded: what stands is not the whole any more. */
export async function removeExportedMark(paths: StatePaths): Promise<void> {
  await rm(markPath(paths), { force: true });
}

/** Under this epoch; null: under any. */
export async function isExported(paths: StatePaths, output: string, epoch: number | null): Promise<boolean> {
  const mark = await readTextIfThere(markPath(paths));
  if (mark === null) return false;
  const made = JSON.parse(mark) as { readonly output: string; readonly epoch?: number };
  if (made.output !== output || (epoch !== null && made.epoch !== epoch)) return false;
  return (await isFile(output)) && (await isFile(errorsPath(output)));
}

function markPath(paths: StatePaths): string {
  return join(paths.stateDir, 'exported.json');
}

async function isFile(path: string): Promise<boolean> {
  return (await ifThere(path, stat(path)))?.isFile() ?? false;
}
