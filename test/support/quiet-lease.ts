import { setTimeout as sleep } from 'node:timers/promises';
import { openLedgerReadOnly } from '../../runtime/ledger/embedded/ledger.ts';
import { until } from './until.ts';

/** The row is seen a little before its writer lets go of the store. */
const COMMIT_MS = 200;

/** Waits until the holder has just renewed its lease: where nothing else is written, it is in no transaction for a while. */
export async function justRenewed(store: string, withinMs: number): Promise<void> {
  const ledger = await openLedgerReadOnly(store);
  const { lease: first } = await ledger.readLease();
  await until('the lease is renewed', withinMs, async () => (await ledger.readLease()).lease?.renewals !== first?.renewals);
  await ledger.dispose();
  await sleep(COMMIT_MS);
}
