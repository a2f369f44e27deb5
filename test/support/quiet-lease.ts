import { setTimeout as sleep } from 'node:timers/promises';
import { withRun } from '../../runtime/cli/status/stored-ledger.ts';
import { statePaths } from '../../runtime/run-dir/paths.ts';
import { until } from './until.ts';

/** The row is seen a little before its writer lets go of the store. */
const COMMIT_MS = 200;

/** Waits until the holder has just renewed its lease: where nothing else is written, it is in no transaction for a while. */
export async function justRenewed(stateDir: string, withinMs: number): Promise<void> {
  await withRun({}, statePaths(stateDir), async ({ ledger }) => {
    const { lease: first } = await ledger.readLease();
    await until('the lease is renewed', withinMs, async () => (await ledger.readLease()).lease?.renewals !== first?.renewals);
  });
  await sleep(COMMIT_MS);
}
