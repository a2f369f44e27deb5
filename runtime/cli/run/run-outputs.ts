import { copyFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ifThere } from '../../base/fs/if-there.ts';
import { errorsPath } from '../../format/output-line.ts';
import { createOutputGuard, OUTPUTS_FILE, type OutputGuard } from '../../results/export/output-guard.ts';
import { checkOutputTarget } from '../../results/export/output-target.ts';
import { outputMode } from '../../run-dir/output-mode.ts';
import type { StatePaths } from '../../run-dir/paths.ts';

/** The output files of a `rollout run` command, and what is done with them before anything is executed. */
export interface RunOutputs {
  readonly mode: number;
  readonly guard: OutputGuard;
  /** Refuses what could not be written at the end, or is not this run's own. */
  check(): Promise<void>;
  /** The same, and keeps other runs from the files until this one has written them. */
  claim(): Promise<void>;
}

export interface RunOutputsOptions {
  readonly paths: StatePaths;
  readonly output: string;
  /** Null for standard input. */
  readonly inputPath: string | null;
  readonly isOverwriting: boolean;
  readonly umask: number;
}

export async function runOutputs({ paths, output, inputPath, isOverwriting, umask }: RunOutputsOptions): Promise<RunOutputs> {
  const guard = createOutputGuard({ stateDir: paths.stateDir, isOverwriting, words: 'flags' });
  const files = [output, errorsPath(output)] as const;
  const check = async (): Promise<void> => {
    await checkOutputTarget({ outputPath: files[0], errorsPath: files[1], inputPath, stateDir: paths.stateDir });
    await guard.refuseTaken(files);
  };
  return {
    mode: outputMode(inputPath === null ? null : (await stat(inputPath)).mode, umask),
    guard,
    check,
    claim: async () => {
      await check();
      await guard.claim(files);
    },
  };
}

/** What an earlier run has written stays replaceable where --fresh has moved its state aside: from there it can be exported again. */
export async function inheritOutputs(from: string, to: string): Promise<void> {
  const path = join(from, OUTPUTS_FILE);
  await ifThere(path, copyFile(path, join(to, basename(path))));
}
