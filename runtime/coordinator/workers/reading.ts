import { mustGet } from '../../base/assert.ts';
import type { ItemRef, WorkerId } from '../../model/row.ts';
import type { Assignment } from '../../model/session.ts';
import { command } from '../state/commands.ts';
import { refOf } from '../state/item.ts';
import type { State } from '../state/state.ts';
import type { OwnWorker } from '../state/worker.ts';
import { ownWorkers } from '../state/workers.ts';
import { flush, MAX_BATCH_BYTES } from './delivery.ts';

/**
 * The input lines of claimed rows are read only as fast as they are delivered: a worker has about one batch being read, one that
 * waits and one on its way, however many rows are its own. So lines of any size cost the coordinator bounded memory.
 */

/** Rows asked for at a time; how many of their lines fit is the reader's to say. */
const MAX_READ_ITEMS = 1_024;

export function readAhead(state: State): void {
  for (const id of state.dirty) {
    const worker = ownWorkers(state).get(id);
    if (worker !== undefined) readNext(state, worker);
  }
}

function readNext(state: State, worker: OwnWorker): void {
  if (worker.isReading || worker.unread.size === 0 || worker.outgoingBytes >= MAX_BATCH_BYTES) return;
  const refs = worker.unread.first(MAX_READ_ITEMS).map((index) => {
    return refOf(index, mustGet(state.items.rowOf(index, worker.id), 'a row to be read'));
  });
  worker.isReading = true;
  command(state, { kind: 'load', worker: worker.id, refs });
}

/** Lines have been read, of all that was asked for or of the first: they go out if the row is still the one they were read for (L28). */
export function onLoaded(state: State, id: WorkerId, assignments: readonly Assignment[]): void {
  const worker = ownWorkers(state).get(id);
  if (worker === undefined) return;
  worker.isReading = false;
  state.dirty.add(id);
  for (const assignment of assignments) {
    const { index } = assignment;
    const claim = state.items.claimOf(index, id, assignment);
    // Where the row is gone, what is unread under this index by now is another attempt.
    if (claim === null || !worker.unread.delete(index) || claim === 'leaving') continue;
    worker.outgoing.set(index, assignment);
    worker.outgoingBytes += assignment.line.length;
  }
  flush(state, worker);
}

/** A row with a hand-back or reassign under way is as good as gone (L28): the worker must not go on with it. */
export function hasActiveClaim(state: State, worker: WorkerId, ref: ItemRef): boolean {
  return state.items.claimOf(ref.index, worker, ref) === 'active';
}
