import type { ItemRef, WorkerId } from '../../model/row.ts';
import { rowOfWorker } from '../state/item.ts';
import { handBack } from '../state/rows.ts';
import type { State } from '../state/state.ts';

/**
 * A store that has lost its last writes gives the same attempt of an item again, under a later epoch (L40). A worker that still has what
 * the first one came to takes no notice of the second, since for it they are one (L35). So where it hands over something of the first,
 * the second goes back, and the item's next attempt has another number.
 */
export function takeTwiceGiven(state: State, worker: WorkerId, ref: ItemRef): void {
  const item = state.items.get(ref.index);
  const live = item === undefined ? undefined : rowOfWorker(item, worker);
  if (item === undefined || live === undefined || item.lock !== null) return;
  if (live.row.attempt === ref.attempt && live.row.claimEpoch !== ref.claimEpoch) handBack(state, item, live, 'lost', 0);
}
