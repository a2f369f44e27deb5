import type { ItemIndex, Row, WorkerId } from '../../model/row.ts';
import type { State } from './state.ts';
import type { Worker } from './worker.ts';

export function newWorker(id: WorkerId, bootNonce: string, dueAtMs: number, nowMs: number): Worker {
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
    lastBeatMs: nowMs,
    session: 0,
    poll: 0,
    capacity: 0,
    items: new Set(),
    unread: new Set(),
    unmet: new Set(),
    restoring: new Set(),
    awaited: new Set(),
    isReading: false,
    outgoing: new Map(),
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
  state.workers.get(id)?.awaited.delete(index);
}

/** The row is no longer its worker's. */
export function forgetRow(state: State, index: ItemIndex, row: Row): void {
  const owner = state.workers.get(row.worker);
  if (owner === undefined) return;
  state.touched.add(owner.id);
  owner.items.delete(index);
  owner.unread.delete(index);
  owner.unmet.delete(index);
  takeOutgoing(owner, index);
}

/** Takes an assignment out of those that wait to be sent. */
export function takeOutgoing(worker: Worker, index: ItemIndex): void {
  worker.outgoingBytes -= worker.outgoing.get(index)?.line.length ?? 0;
  worker.outgoing.delete(index);
}
