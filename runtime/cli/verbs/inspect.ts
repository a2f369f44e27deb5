import type { Damage } from '../../results/log/damage.ts';
import { inspectLog } from '../../results/log/damage.ts';
import { damaged } from '../../results/log/damage-text.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import type { CliDeps } from '../deps.ts';
import { damagedNames } from '../status/damaged-names.ts';
import { withRun } from '../status/stored-ledger.ts';
import { tellWhile } from '../view/long-work.ts';
import { inScratch } from './scratch.ts';

/** Compares the whole result log with the ledger, and shows progress: a large log takes a while. */
export async function inspectResults(deps: CliDeps, paths: StatePaths, isJson: boolean): Promise<Damage> {
  let done = 0;
  const onFrames = (count: number): void => {
    done = count;
  };
  const inspected = inScratch(paths, async (tempDir) =>
    withRun(deps.env, paths, async (reads) => inspectLog({ ...reads, tempDir, onFrames }, async (_, damage) => damage)),
  );
  return tellWhile(deps, isJson, () => ({ step: 'checking what is recorded', done, unit: 'items' }), inspected);
}

/** Before anything is executed. */
export async function refuseDamaged(deps: CliDeps, paths: StatePaths, isJson: boolean): Promise<void> {
  const damage = await inspectResults(deps, paths, isJson);
  if (damage.lost > 0) throw damaged(damage, 'executed', await damagedNames(paths, damage));
}
