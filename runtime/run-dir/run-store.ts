import { RolloutError } from '../base/errors.ts';
import { isSameStore, type Store, storeText } from '../model/store.ts';
import { readRunFile, writeRunFile } from './run-file.ts';

/**
 * The store of the run that this directory holds, once it holds one. A Redis server may be given another address: that it has the same
 * run, the run's epochs prove (L3). A run never changes from one kind of store to the other.
 */
export async function keepStore(stateDir: string, given: Store): Promise<void> {
  const known = await readRunFile(stateDir);
  if (known === null || isSameStore(known.store, given)) return;
  if (known.store.kind !== given.kind)
    throw new RolloutError(
      'IDENTITY_DIFFERS',
      `the run in ${stateDir} keeps its ledger in ${storeText(known.store)}, and this command names ${storeText(given)}: name the one that it has, or start over with --fresh or another state directory`,
    );
  await writeRunFile(stateDir, { ...known, store: given });
}
