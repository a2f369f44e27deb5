import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { told, writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import { isJsonObject } from '../../base/json/json-object.ts';
import { errorsPath } from '../../format/output-line.ts';
import type { StatePaths } from '../../run-dir/paths.ts';

/**
 * A mark that the output files of a finished run stand. Without it files that happen to be there may be those of an earlier run:
 * all processes may have been killed between the last item and the export. A retry begins under a later epoch, and its files with it.
 */
export async function markExported(paths: StatePaths, output: string, epoch: number): Promise<void> {
  await writeFileAtomic(markPath(paths), JSON.stringify({ output, epoch }));
}

/** More is to be recorded: what stands is not the whole any more. */
export async function removeExportedMark(paths: StatePaths): Promise<void> {
  await told(markPath(paths), () => rm(markPath(paths), { force: true }));
}

/** Under this epoch; null: under any. */
export async function isExported(paths: StatePaths, output: string, epoch: number | null): Promise<boolean> {
  const mark = readMark((await readTextIfThere(markPath(paths))) ?? '');
  if (mark === null || mark.output !== output || (epoch !== null && mark.epoch !== epoch)) return false;
  return (await isFile(output)) && (await isFile(errorsPath(output)));
}

interface ExportedMark {
  readonly output: unknown;
  readonly epoch: unknown;
}

/** Null where the text is no mark. A damaged mark counts as a missing one: the files are written again, with the same contents. */
function readMark(text: string): ExportedMark | null {
  try {
    const value = JSON.parse(text) as unknown;
    return isJsonObject(value) ? { output: value['output'], epoch: value['epoch'] } : null;
  } catch {
    return null;
  }
}

function markPath(paths: StatePaths): string {
  return join(paths.stateDir, 'exported.json');
}

async function isFile(path: string): Promise<boolean> {
  return (await ifThere(path, stat(path)))?.isFile() ?? false;
}
