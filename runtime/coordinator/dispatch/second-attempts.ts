import { mustGet } from '../../base/assert.ts';
import type { NamedRow, SecondAttemptReply, SoleRow } from '../../ledger/contract.ts';
import { medianMs } from '../../model/durations.ts';
import type { WorkerId } from '../../model/row.ts';
import { takeFound } from '../items/found.ts';
import { isAlone } from '../items/poison.ts';
import { command } from '../state/commands.ts';
import type { Item } from '../state/item.ts';
import { itemAt, lockItem, openLock, unlock } from '../state/items.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';
import { awaitItem, awaitNoMore } from '../state/workers.ts';
import { giveRow, idleSlots, isQueueEmpty } from './steal.ts';

/**
 * Stragglers: at the end of the list an idle worker gets a second attempt of an item that has run long; the first that settles is
 * the record, and the other is told to stop (L13). An option, since a model's answers differ and second attempts cost.
 */

/** Times the median that an item has to run before it is given a second attempt; Spark's speculation has the same factor. */
const SLOW_FACTOR = 1.5;
/** Shorter items are not worth the second execution. */
const MIN_SLOW_MS = 500;
/** Where no item has been recorded yet, nothing is known of how long they take. */
const BLIND_SLOW_MS = 10_000;

/** Called at each scan, after stealing. */
export function planSecondAttempts(state: State): void {
  if (!state.settings.stragglers || !isQueueEmpty(state)) return;
  const idle = [...state.workers.values()].filter((worker) => idleSlots(state, worker) > 0);
  if (idle.length === 0) return;
  const slow = slowItems(state);
  for (const worker of idle) giveSeconds(state, worker, slow);
}

/** Items with one started row that has run long and more than one try left, the longest first. */
function slowItems(state: State): Item[] {
  const median = medianMs(state.durations);
  const slowMs = median === null ? BLIND_SLOW_MS : Math.max(MIN_SLOW_MS, SLOW_FACTOR * median);
  const sinceMs = ({ rows }: Item): number => rows[0]?.sinceMs ?? 0;
  return state.items
    .all()
    .filter((item) => isLoneRunner(item) && !isLastTry(state, item) && state.nowMs - sinceMs(item) > slowMs)
    .sort((a, b) => sinceMs(a) - sinceMs(b));
}

function isLoneRunner(item: Item): boolean {
  const [live] = item.rows;
  return item.rows.length === 1 && item.lock === null && live?.isStarted === true && !isAlone(item);
}

/**
 * No failure is recorded while another attempt runs. An item that fails slowly, and is given another attempt each time before the
 * present one fails, would fail for ever: its last try runs by itself.
 */
function isLastTry(state: State, { faults: { failures } }: Item): boolean {
  return failures > 0 && failures + 1 >= state.settings.maxAttempts;
}

function giveSeconds(state: State, worker: Worker, slow: Item[]): void {
  const rows: SoleRow[] = [];
  let free = idleSlots(state, worker);
  for (const item of slow) {
    const row = mustGet(item.rows[0], 'a running row').row;
    if (free === 0) break;
    if (item.lock !== null || row.worker === worker.id) continue;
    lockItem(item, 'moving');
    rows.push({ index: item.index, row, lastAttempt: item.lastAttempt });
    free -= 1;
    awaitItem(state, worker.id, item.index);
  }
  if (rows.length > 0) command(state, { kind: 'second', worker: worker.id, rows });
}

/** The ledger's word on second attempts; null: the run is paused, and nothing was given. */
export function onSecondAttempts(
  state: State,
  worker: WorkerId,
  rows: readonly NamedRow[],
  verdicts: SecondAttemptReply['verdicts'] | null,
): void {
  for (const [at, { index }] of rows.entries()) {
    const item = itemAt(state, index);
    awaitNoMore(state, worker, index);
    const verdict = verdicts === null ? null : mustGet(verdicts[at], 'a verdict on a second attempt');
    if (verdict === null) unlock(state, item);
    else if (verdict.kind === 'granted') giveRow(state, item, worker, verdict.attempt);
    else {
      openLock(item, 'moving');
      takeFound(state, verdict.found);
    }
  }
}
