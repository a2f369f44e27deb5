import { isDeepStrictEqual } from 'node:util';
import type { RolloutError } from '../../base/errors.ts';
import type { LedgerReader } from '../../ledger/views.ts';
import type { Lease } from '../../model/lease.ts';
import type { Progress } from '../../model/run.ts';
import { heldLease } from './held-lease.ts';

/** A run on which no coordinator works: what one records while the run is read would be in none of two lists, or in both. */
export interface Rest {
  readonly progress: Progress;
  /** Refuses where a coordinator has begun to work on it since: what was read is not to be used then. */
  readonly confirm: () => Promise<void>;
}

/** `refusal`: says what to do where a coordinator has the lease, or, without one, where the run has changed meanwhile. */
export async function atRest(ledger: LedgerReader, refusal: (lease: Lease | null) => RolloutError): Promise<Rest> {
  // First: who wins the lease after this look shows by the epoch of the last one, even if it has given the lease back by then.
  const progress = await ledger.progress();
  const refuseHeld = async (): Promise<void> => {
    const lease = await heldLease(ledger);
    if (lease !== null) throw refusal(lease);
  };
  await refuseHeld();
  const confirm = async (): Promise<void> => {
    await refuseHeld();
    if (!isDeepStrictEqual(await ledger.progress(), progress)) throw refusal(null);
  };
  return { progress, confirm };
}
