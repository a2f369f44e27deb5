import { isProcessAlive } from '../../base/process/process-identity.ts';
import type { LedgerReader } from '../../ledger/views.ts';
import type { Lease } from '../../model/lease.ts';

/** The lease of the coordinator that works on the run; null where none does. */
export async function heldLease(ledger: Pick<LedgerReader, 'readLease'>): Promise<Lease | null> {
  const { lease, nowMs } = await ledger.readLease();
  if (lease === null || lease.holder === '') return null;
  return (await isHeld(lease, nowMs)) ? lease : null;
}

/** A store that is a server has a clock, by which the lease runs out; the holder may be a process of another machine. */
async function isHeld(lease: Lease, nowMs: number | null): Promise<boolean> {
  return nowMs === null ? isProcessAlive(lease.process) : lease.untilMs > nowMs;
}
