import { stat } from 'node:fs/promises';
import { makeStateDir } from '../../base/fs/state-dir.ts';
import { isSupervised } from '../../base/process/supervised.ts';
import { errorsPath } from '../../format/output-line.ts';
import { createOutputGuard, type OutputGuard } from '../../results/export/output-guard.ts';
import { checkOutputTarget } from '../../results/export/output-target.ts';
import { outputMode } from '../../run-dir/output-mode.ts';
import type { CoordinatorSettings } from '../settings.ts';

/** Where and how a coordinator writes the results at the end. */
export interface Outputs {
  readonly outputMode: number;
  readonly guard: OutputGuard;
}

/** Checks before anything is executed that the outputs can be written and belong to no other run, and claims them for this one. */
export async function claimOutputs(settings: CoordinatorSettings, umask: number): Promise<Outputs> {
  const { input, output, overwrite, stateDir } = settings;
  const inputPath = input === '-' ? null : input;
  const paths = [output, errorsPath(output)] as const;
  await checkOutputTarget({ outputPath: paths[0], errorsPath: paths[1], inputPath, stateDir });
  const guard = createOutputGuard({ stateDir, isOverwriting: overwrite, words: isSupervised() ? 'flags' : 'settings' });
  await guard.refuseTaken(paths);
  await makeStateDir(stateDir);
  await guard.claim(paths);
  // `rollout run` has applied the umask of its user, which this process does not have.
  const mode = settings.outputMode ?? outputMode(inputPath === null ? null : (await stat(inputPath)).mode, umask);
  return { outputMode: mode, guard };
}
