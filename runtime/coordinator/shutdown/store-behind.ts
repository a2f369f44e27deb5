import { RolloutError } from '../../base/errors.ts';
import type { Epoch } from '../../model/row.ts';
import type { Store } from '../../model/store.ts';
import { withWayOut } from '../../model/way-out.ts';
import { raiseEpochMark } from '../../run-dir/epoch-mark.ts';
import type { SeenEpoch } from '../state/commands.ts';

/**
 * A worker has seen a higher epoch than the store, and the store, asked just now, still names this coordinator as the holder: it lost
 * later writes. Each start wins one more epoch and would soon pass the worker's, so the epoch that the worker has seen becomes the
 * directory's mark: below it the lease is not won again (L3, L41).
 */
export async function refuseStoreBehind(epochMark: string, store: Store, own: Epoch, { worker, epoch }: SeenEpoch): Promise<never> {
  await raiseEpochMark(epochMark, epoch);
  const error = new RolloutError(
    'LEDGER_BEHIND',
    `Worker ${worker} has seen epoch ${epoch} of this run, and the store knows none after ${own}: it was restored from an old copy, or has lost writes. What was recorded under later epochs is missing from it, and would be executed and recorded again.`,
  );
  // The worker hears the whole message as well.
  throw withWayOut(error, store);
}

/** The workers hear it as the last word of this coordinator, and have it in their logs. */
export function isStoreBehind(error: unknown): error is RolloutError {
  return error instanceof RolloutError && error.code === 'LEDGER_BEHIND';
}
