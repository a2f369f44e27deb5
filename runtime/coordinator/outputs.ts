import { stat } from 'node:fs/promises';
import { makeStateDir } from '../base/state-dir.ts';
import { isSupervised } from '../base/supervised.ts';
import { createOutputGuard, type OutputGuard } from '../results/output-guard.ts';
import { errorsPath } from '../results/output-line.ts';
import { outputMode } from '../results/output-mode.ts';
import { checkOutputTarget } from '../results/output-target.ts';
import type { CoordinatorSettings } from './settings.ts';

/** Where and how a coordinator writes the results at the end. */
export interface Outputs {
  readonly outputMode: number;
  readonly guard: OutputGuard;
}

/** Finds out before anything is executed whether the outputs can be written and are nobody else's, and claims them for this run. */
export async function claimOutputs(settings: CoordinatorSettings, umask: number): Promise<Outputs> {
  const { input, output, overwrite, stateDir } = settings;
  const inputPath = input === '-' ? null : input;
  const paths = [output, errorsPath(output)] as const;
  await checkOutputTarget({ outputPath: paths[0], errorsPath: paths[1], inputPath, stateDir });
  const guard = createOutputGuard({ stateDir, isOverwriting: overwrite, words: isSupervised() ? 'flags' : 'settings' });
  await guard.refuseTaken(paths);
  await makeStateDir(stateDir);
  await guard.claim(paths);
  // `rollout run` has reckoned with the umask of its user, which this process has not.
  const mode = settings.outputMode ?? outputMode(inputPath === null ? null : (await stat(inputPath)).mode, umask);
  return { outputMode: mode, guard };
}
