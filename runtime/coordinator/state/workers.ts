import { DenseMap } from '../../base/dense-map.ts';
import { DenseSet } from '../../base/dense-set.ts';
import type { WorkerInfo } from '../../ledger/contract.ts';
import { type ItemIndex, type ItemRef, plainRef, type Row, refKey, type WorkerId } from '../../model/row.ts';
import type { State } from './state.ts';
import type { OwnWorker, Worker } from './worker.ts';

/** For the room `workers`, which writes them too. */
export function ownWorkers(state: State): Map<WorkerId, OwnWorker> {
  return state.workers as Map<WorkerId, OwnWorker>;
}

/** A worker that is known from the ledger, and from which nothing has been heard yet; null: only its rows are known. */
export function expectWorker(state: State, id: WorkerId, nowMs: number, info: Omit<WorkerInfo, 'registeredAtMs'> | null): void {
  const worker = newWorker(id, info?.bootNonce ?? '', nowMs + state.settings.heartbeatIntervalMs, nowMs);
  worker.pid = info?.pid ?? 0;
  worker.concurrency = info?.concurrency ?? 0;
  worker.hasOlderRows = info?.hasOlderRows === true;
  worker.isRegistered = info !== null;
  ownWorkers(state).set(id, worker);
}

export function newWorker(id: WorkerId, bootNonce: string, dueAtMs: number, nowMs: number): OwnWorker {
  return {
    id,
    bootNonce,
    pid: 0,
    node: '',
    concurrency: 0,
    state: 'unknown',
    detail: '',
    refusals: 0,
    hasOlderRows: false,
    isRegistered: false,
    isSuspected: false,
    dueAtMs,
    toldIntervalMs: null,
    lastBeatMs: nowMs,
    session: 0,
    poll: 0,
    capacity: 0,
    items: new DenseSet(),
    unread: new DenseSet(),
    unreconciled: new Set(),
    restoring: new Set(),
    awaited: new Set(),
    isReading: false,
    outgoing: new DenseMap(),
    outgoingBytes: 0,
    revoked: [],
    recalled: [],
    acknowledged: [],
    stale: [],
    sent: null,
    batches: 0,
    channel: null,
    beats: [],
    toldOrder: { order: 'work', untilMs: null, reason: '' },
    demand: null,
  };
}

/** No row of the item is on its way to this worker any more; one that has registered again awaits nothing. */
export function awaitNoMore(state: State, id: WorkerId, index: ItemIndex): void {
  ownWorkers(state).get(id)?.awaited.delete(index);
}

/** The row is no longer its worker's. */
export function forgetRow(state: State, index: ItemIndex, row: Row): void {
  const owner = ownWorkers(state).get(row.worker);
  if (owner === undefined) return;
  state.dirty.add(owner.id);
  owner.items.delete(index);
  owner.unread.delete(index);
  owner.unreconciled.delete(index);
  takeOutgoing(owner, index);
}

/** Takes an assignment out of those that wait to be sent. */
export function takeOutgoing(worker: OwnWorker, index: ItemIndex): void {
  const assignment = worker.outgoing.get(index);
  if (assignment === undefined) return;
  worker.outgoingBytes -= assignment.line.length;
  worker.outgoing.delete(index);
}

/** The rows of these items are this worker's. */
export function giveItems(state: State, id: WorkerId, from: ItemIndex, count: number): Worker | undefined {
  const worker = ownWorkers(state).get(id);
  for (let index = from; index < from + count; index += 1) worker?.items.add(index);
  return worker;
}

/** A row of the item is on its way to this worker. */
export function awaitItem(state: State, id: WorkerId, index: ItemIndex): void {
  ownWorkers(state).get(id)?.awaited.add(index);
}

/** Its row is to be read and sent to it. */
export function sendItem(state: State, id: WorkerId, index: ItemIndex): void {
  sendItems(state, id, [index]);
}

export function sendItems(state: State, id: WorkerId, indexes: readonly ItemIndex[]): void {
  state.dirty.add(id);
  const unread = ownWorkers(state).get(id)?.unread;
  for (const index of indexes) unread?.add(index);
}

/** What the worker was not sent yet is not sent: true where that is so. */
export function withholdItem(state: State, id: WorkerId, index: ItemIndex): boolean {
  const worker = ownWorkers(state).get(id);
  if (worker === undefined) return false;
  const isUnsent = worker.unread.delete(index) || worker.outgoing.has(index);
  takeOutgoing(worker, index);
  return isUnsent;
}

/** Its row is looked at again when the item's lock opens (L27). */
export function reconcileLater(state: State, id: WorkerId, index: ItemIndex): void {
  ownWorkers(state).get(id)?.unreconciled.add(index);
}

export function takeUnreconciled(state: State, id: WorkerId, index: ItemIndex): boolean {
  return ownWorkers(state).get(id)?.unreconciled.delete(index) ?? false;
}

/** The started items of its newest hello that wait for their rows (L44). */
export function awaitRestored(state: State, id: WorkerId, held: readonly ItemRef[]): void {
  const worker = ownWorkers(state).get(id);
  worker?.restoring.clear();
  for (const ref of held) worker?.restoring.add(refKey(ref));
}

/** It does not wait for this one any more; true where it did. */
export function takeRestored(state: State, id: WorkerId, ref: ItemRef): boolean {
  return ownWorkers(state).get(id)?.restoring.delete(refKey(ref)) ?? false;
}

/** Its endpoints refuse everybody. */
export function countRefusal(state: State, id: WorkerId): void {
  const worker = ownWorkers(state).get(id);
  if (worker !== undefined) worker.refusals += 1;
}

export function clearRefusals(state: State, id: WorkerId): void {
  const worker = ownWorkers(state).get(id);
  if (worker !== undefined) worker.refusals = 0;
}

/** What the worker is told of an item with its next message. */
export function tellOf(state: State, id: WorkerId, what: 'acknowledged' | 'stale' | 'revoked' | 'recalled', ref: ItemRef): void {
  state.dirty.add(id);
  ownWorkers(state).get(id)?.[what].push(plainRef(ref));
}
