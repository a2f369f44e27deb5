import { assert } from '../../base/assert.ts';
import type { ItemIndex } from '../../model/row.ts';
import { freeSlots } from '../dispatch/claims.ts';
import type { Item } from '../state/item.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';
import { MAX_BATCH_BYTES, waitsForLines } from '../workers/delivery.ts';
import { instructionFor, isSameInstruction } from '../workers/drain.ts';

/** What must hold of the workers: their rows, what is on its way to them, and that nobody was forgotten. */
export function checkWorkers(state: State): void {
  const { workers } = state;
  for (const [id, worker] of workers) {
    assert(worker.id === id, `worker ${id} is kept under its own name`);
    checkRows(state, worker);
    checkSession(worker);
    checkCounts(state, worker);
    checkTold(state, worker);
  }
}

function checkRows(state: State, worker: Worker): void {
  const { id, items, unread, outgoing, unreconciled } = worker;
  const has = (index: ItemIndex): boolean => items.has(index);
  for (const index of items) {
    assert(state.items.rowOf(index, id) !== undefined, `${id} has no row of item ${index}, which is counted as its own`);
  }
  assert([...unread, ...outgoing.keys()].every(has), `${id} is to be sent only what is its own`);
  assert(
    [...unread].every((index) => !outgoing.has(index)),
    `${id}: what is read is not to be read`,
  );
  assert(
    [...worker.restoring].every((key) => isBeingRestored(state.items.copy(Number(key.split('/')[0])))),
    `${id}: what is being restored to it is locked (L44)`,
  );
  assert(
    [...unreconciled].every((index) => has(index) && state.items.copy(index)?.lock != null),
    `${id}: what its hello did not name is met when its lock opens (L27)`,
  );
}

function isBeingRestored(item: Item | undefined): boolean {
  return item?.lock === 'restoring' || item?.lock === 'returning';
}

function checkSession(worker: Worker): void {
  const { id, session, channel, sent, beats, isRegistered } = worker;
  assert(session > 0 || (channel === null && sent === null), `${id} is told nothing without a session (L26)`);
  assert(beats.length === 0 || !isRegistered, `${id} is registered, and its beats are answered`);
}

function checkCounts(state: State, worker: Worker): void {
  const { id, outgoing, outgoingBytes } = worker;
  const bytes = [...outgoing.values()].reduce((sum, { line }) => sum + line.length, 0);
  assert(outgoingBytes === bytes, `${id}: ${bytes} bytes are to be sent, and ${outgoingBytes} are counted`);
  for (const index of worker.awaited) {
    const item = state.items.copy(index);
    const isOnItsWay = item?.lock === 'moving' || item?.rows.some((live) => live.recalledFor === id) === true;
    assert(isOnItsWay, `${id} awaits item ${index}, which is not on its way (L32)`);
  }
  assert(freeSlots(state, worker) === 0 || state.withCapacity.has(id), `${id} has room and is not asked (C11)`);
}

/** C11: what a fact changes for a worker is told and read for with that fact. */
function checkTold(state: State, worker: Worker): void {
  const { id, channel, unread, isReading, outgoingBytes } = worker;
  assert(unread.size === 0 || isReading || outgoingBytes >= MAX_BATCH_BYTES, `${id}: nobody reads its lines`);
  if (channel === null || (channel.kind === 'stream' && channel.isWriting)) return;
  assert(waitsForLines(worker) || worker.acknowledged.length + worker.stale.length === 0, `${id} is not told what it may forget`);
  assert(worker.sent !== null || outgoing(worker) === 0, `${id} is not sent what waits`);
  assert(worker.sent === null || worker.sent.isUnderway, `${id} is not sent its batch again`);
  assert(isSameInstruction(worker.toldOrder, instructionFor(state, worker)), `${id} is not told its order`);
}

function outgoing(worker: Worker): number {
  return worker.outgoing.size + worker.revoked.length + worker.recalled.length;
}
