import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { ifThere } from '../base/if-there.ts';
import { readTextIfThere } from '../base/text-file.ts';
import { errorsPath } from '../results/output-line.ts';
import type { StatePaths } from './paths.ts';

/**
 * A mark that the output files of a finished run stand. Without it files that happen to be there may be those of an earlier run:
 * all processes may have been killed between the last item and the export.
 */
export async function markExported(paths: StatePaths, output: string): Promise<void> {
  await writeFileAtomic(markPath(paths), JSON.stringify({ output }));
}

/** More is to be recorded: what stands is not the whole any more. */
export async function removeExportedMark(paths: StatePaths): Promise<void> {
  await rm(markPath(paths), { force: true });
}

export async function isExported(paths: StatePaths, output: string): Promise<boolean> {
  const mark = await readTextIfThere(markPath(paths));
  if (mark !== JSON.stringify({ output })) return false;
  return (await isFile(output)) && (await isFile(errorsPath(output)));
}

function markPath(paths: StatePaths): string {
  return join(paths.stateDir, 'exported.json');
}

async function isFile(path: string): Promise<boolean> {
  return (await ifThere(path, stat(path)))?.isFile() ?? false;
}
