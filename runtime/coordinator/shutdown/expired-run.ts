import type { Ledger } from '../../ledger/contract.ts';
import type { Store } from '../../model/store.ts';
import { readEpochMark } from '../../run-dir/epoch-mark.ts';
import { readFinishedRun } from '../../run-dir/finished-run.ts';
import { statePaths } from '../../run-dir/paths.ts';
import { ledgerExpired, standingOf } from '../../run-dir/standing.ts';
import { isStoreBehind } from './store-behind.ts';

export interface BehindStore {
  readonly ledger: Pick<Ledger, 'progress'>;
  readonly store: Store;
  readonly stateDir: string;
}

/** A server that has nothing of a run that is finished was not wiped: the keys have expired. Any other error stays as it is. */
export async function unlessExpired(error: unknown, { ledger, store, stateDir }: BehindStore): Promise<unknown> {
  if (!isStoreBehind(error) || store.kind !== 'redis') return error;
  const paths = statePaths(stateDir);
  const finished = await readFinishedRun(paths.finished);
  const progress = finished === null ? null : await ledger.progress().catch(() => null);
  if (progress === null) return error;
  const standing = standingOf(progress, await readEpochMark(paths.epochMark), finished);
  return standing.kind === 'expired' ? ledgerExpired(standing, store, stateDir) : error;
}
