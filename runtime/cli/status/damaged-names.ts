import { customIdsOf } from '../../input/index/custom-ids.ts';
import type { Damage } from '../../results/log/damage.ts';
import type { CustomIds } from '../../results/log/damage-text.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { readStoredRun } from './stored-run.ts';

/** What the input calls the first of the items that have lost their record. */
export async function damagedNames(paths: StatePaths, { indexes }: Damage): Promise<CustomIds> {
  const served = (await readStoredRun(paths))?.served ?? null;
  return served === null ? new Map() : customIdsOf({ ...served, dir: paths.indexDir }, indexes);
}
