import { assert } from '../../base/assert.ts';
import { COORDINATOR_WORKER, type ItemIndex } from '../../model/row.ts';
import { isPoison } from '../items/poison.ts';
import type { ActiveClaim, Item, Lock } from '../state/item.ts';
import type { State } from '../state/state.ts';

/** What must hold of the items of the mirror, and of everything that counts or queues them. */
export function checkItems(state: State): void {
  const { cursor, done, failed, items } = state;
  assert(
    cursor === done + failed + items.size,
    `below the cursor ${cursor} are ${done} done, ${failed} failed and ${items.size} open items`,
  );
  for (const [index, item] of items.copies()) checkItem(state, index, item);
  checkQueues(state);
  checkLocks(state);
  checkCondemned(state);
  checkSupply(state);
}

function checkItem(state: State, index: ItemIndex, item: Item): void {
  const { rows, lock, waiting } = item;
  const says = (what: string): string => `item ${index}, lock ${lock}, ${rows.length} rows: ${what}`;
  assert(item.index === index && index < state.cursor, says('it is kept under its own index, below the cursor'));
  assert(rows.length <= 2, says('two rows at most (L13)'));
  assert(rows.length < 2 || rows[0]?.row.worker !== rows[1]?.row.worker, says('its rows are of different workers'));
  assert(lock !== null || waiting.length === 0, says('what waits for a lock is judged when it opens (L19)'));
  for (const live of rows) checkRow(state, item, live, says);
  const leaving = rows.filter((live) => live.isLeaving).length;
  assert(leaving <= 1 && (leaving === 1 || lock !== 'returning'), says('one row leaves while it is handed back (L28)'));
  assert(leaving === 0 || lock === 'returning' || lock === 'moving', says('a row leaves only under a lock (L28)'));
  if (lock !== null) assert(HAS_ROWS[lock] === null || HAS_ROWS[lock] === rows.length > 0, says('rows that the lock allows'));
}

/** Whether an item with this lock has a running row; null where either may be. */
const HAS_ROWS: Readonly<Record<Lock, boolean | null>> = {
  recording: null,
  returning: true,
  claiming: false,
  restoring: false,
  moving: true,
  suspect: null,
  crashed: true,
  rejected: false,
};

function checkRow(state: State, item: Item, live: ActiveClaim, says: (what: string) => string): void {
  const { row } = live;
  assert(row.attempt <= item.lastAttempt && row.claimEpoch <= state.epoch, says('no row is newer than what was given (L9)'));
  assert(live.recalledFor === null || !(live.isStarted || live.isLeaving), says('what has started, or leaves, is not recalled (L32)'));
  assert(live.isLeaving || !live.isGivenBack, says('what its worker gave back leaves'));
  if (row.worker === COORDINATOR_WORKER || item.lock !== null) return;
  assert(state.workers.get(row.worker)?.items.has(item.index) === true, says(`its row is of ${row.worker}, which has it (L31)`));
}

/** An item without a row stands in exactly one queue, unless its claim, its row or its record is under way. */
function checkQueues(state: State): void {
  const places = new Map<ItemIndex, string>();
  for (const [name, queue] of Object.entries({ ready: state.ready, delayed: state.delayed, alone: state.alone })) {
    for (const index of queue) {
      const before = places.get(index);
      assert(before === undefined, `item ${index} is queued as ${before} and as ${name}`);
      places.set(index, name);
    }
  }
  for (const [index, { rows, lock }] of state.items.copies()) {
    const isQueued = rows.length === 0 && (lock === null || lock === 'recording' || lock === 'suspect');
    assert(isQueued || !places.has(index), `item ${index}, lock ${lock}, is queued as ${places.get(index)}`);
    assert(!isQueued || places.has(index) || isBeingRecorded(state, index), `item ${index} waits in no queue`);
  }
}

/** Poison left the queues when it was condemned. */
function isBeingRecorded({ items }: State, index: ItemIndex): boolean {
  const item = items.copy(index);
  return item !== undefined && item.lock === 'recording' && isPoison(item);
}

/** What is kept elsewhere of a locked item. */
function checkLocks(state: State): void {
  const picked = (state.claims ?? []).flatMap(({ picks }) => picks.flatMap((pick) => ('index' in pick ? [pick.index] : [])));
  agree(state, 'claiming', picked);
  agree(
    state,
    'suspect',
    state.heldFailures.map(({ outcome }) => outcome.index),
  );
  agree(
    state,
    'crashed',
    state.poison.pendingCrashes.map(({ index }) => index),
  );
}

function agree({ items }: State, lock: Lock, named: readonly ItemIndex[]): void {
  for (const index of named) assert(items.copy(index)?.lock === lock, `item ${index} is named, and not locked as ${lock}`);
  const locked = [...items.copies()].filter(([, item]) => item.lock === lock).length;
  assert(named.length === locked, `${locked} items are locked as ${lock}, and ${named.length} are named`);
}

/** The items that the coordinator records itself, or is about to claim for that. */
function checkCondemned(state: State): void {
  let count = 0;
  for (const [, item] of state.items.copies()) if (isRecordedHere(item)) count += 1;
  const own = (state.claims ?? []).filter(({ worker }) => worker === COORDINATOR_WORKER).flatMap(({ picks }) => picks);
  for (const pick of own) count += 'count' in pick ? pick.count : 1;
  assert(state.rejected === count, `the coordinator records ${count} items, and has counted ${state.rejected}`);
}

function isRecordedHere(item: Item): boolean {
  const isPoisoned = item.lock === 'rejected' || (item.lock === 'recording' && item.rows.length === 0 && isPoison(item));
  return isPoisoned || item.rows.some(({ row }) => row.worker === COORDINATOR_WORKER);
}

function checkSupply({ supply, cursor }: State): void {
  assert(supply.upTo >= cursor, `surveyed up to ${supply.upTo}, claimed up to ${cursor}`);
  let before = cursor - 1;
  for (const index of supply.invalid) {
    assert(index > before && index < supply.upTo, `invalid item ${index} is out of order`);
    before = index;
  }
}
