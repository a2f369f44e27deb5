import { assert, present } from '../../base/assert.ts';
import { NO_REPEATS } from '../../base/repeats.ts';
import type { HandedBackItem, RunningItem, Scan, WorkerInfo } from '../../ledger/contract.ts';
import { noDurations } from '../../model/durations.ts';
import { COORDINATOR_WORKER, type Epoch, type ItemIndex, type Row, type WorkerId } from '../../model/row.ts';
import type { Command } from './commands.ts';
import { type Item, type LiveRow, type Lock, rowsOf } from './item.ts';
import type { MachineSettings, State } from './state.ts';
import type { Worker } from './worker.ts';

/** Builds the mirror from a scan (L24). Running rows are taken over as in flight. */
export function stateFrom(settings: MachineSettings, epoch: Epoch, scan: Scan, nowMs: number): State {
  const state: State = {
    settings,
    epoch,
    phase: { kind: 'running' },
    cursor: scan.progress.cursor,
    done: scan.progress.done,
    failed: scan.progress.failed,
    supply: { upTo: scan.progress.cursor, invalid: [], isSurveying: false, indexed: 0, items: null },
    items: new Map(),
    ready: [],
    delayed: [],
    claims: null,
    workers: new Map(),
    hints: { file: [], told: new Map(), asked: new Map(), drains: new Map() },
    replacedBoots: new Set(),
    goneBoots: new Map(),
    touched: new Set(),
    hungry: new Set(),
    strangers: new Set(),
    suspects: [],
    reopened: [],
    granted: [],
    leaving: 0,
    condemned: 0,
    nowMs,
    lastTickMs: nowMs,
    durations: noDurations(),
    poison: { losses: [], trials: [], alone: [], lastAloneLossMs: Number.NEGATIVE_INFINITY, host: null },
    headway: { lastMs: nowMs, longestItemMs: 0, losses: 0, lostItems: 0, told: null },
    waits: { causes: new Map(), counted: [], countedAtMs: Number.NEGATIVE_INFINITY, lookedAtMs: nowMs, told: NO_REPEATS },
    commands: [],
  };
  for (const { worker, info } of scan.workers) expectWorker(state, worker, nowMs, info);
  for (const running of scan.running) takeOver(state, running, nowMs);
  for (const handedBack of scan.handedBack) addHandedBack(state, handedBack);
  return state;
}

/** A running item found at boot; its owners are due even where no registry names them (L25). */
export function takeOver(state: State, running: RunningItem, nowMs: number): Item {
  for (const { worker } of rowsOf(running)) {
    if (worker !== COORDINATOR_WORKER && !state.workers.has(worker)) expectWorker(state, worker, nowMs, null);
  }
  const item = addRunning(state, running);
  for (const live of item.rows) if (state.workers.get(live.row.worker)?.hasOlderRows === true) live.bootNonce = '';
  return item;
}

function expectWorker(state: State, id: WorkerId, nowMs: number, info: Omit<WorkerInfo, 'registeredAtMs'> | null): Worker {
  const worker = newWorker(id, info?.bootNonce ?? '', nowMs + state.settings.heartbeatIntervalMs, nowMs);
  worker.pid = info?.pid ?? 0;
  worker.concurrency = info?.concurrency ?? 0;
  worker.hasOlderRows = info?.hasOlderRows === true;
  worker.isRegistered = info !== null;
  state.workers.set(id, worker);
  return worker;
}

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

export function addRunning(state: State, running: RunningItem): Item {
  const rows = rowsOf(running).map((row) => liveRow(state, row));
  const { index, row, lastAttempt, faults } = running;
  const item: Item = { index, rows, taken: row, lastAttempt, faults, dueAtMs: 0, lock: null, why: null, waiting: [] };
  state.items.set(index, item);
  for (const { row: owned } of rows) state.workers.get(owned.worker)?.items.add(index);
  return item;
}

/** A row that was just claimed, or just found. */
export function liveRow(state: State, row: Row): LiveRow {
  const bootNonce = state.workers.get(row.worker)?.bootNonce ?? '';
  return { row, bootNonce, isStarted: false, sinceMs: state.nowMs, recalledFor: null, isLeaving: false, isGivenBack: false };
}

export function addHandedBack(state: State, handedBack: HandedBackItem): Item {
  const { index, row, lastAttempt, faults } = handedBack;
  const item: Item = { index, rows: [], taken: row, lastAttempt, faults, dueAtMs: 0, lock: null, why: null, waiting: [] };
  state.items.set(index, item);
  queueItem(state, item);
  return item;
}

/** A handed-back item waits for its time, or for its next claim. */
export function queueItem(state: State, item: Item): void {
  item.dueAtMs = state.nowMs + item.faults.delayMs;
  if (item.faults.delayMs > 0) state.delayed.push(item.index);
  else state.ready.push(item.index);
}

/** These items are not to be claimed now. */
export function unqueue(state: State, indexes: ReadonlySet<ItemIndex>): void {
  const isOther = (index: ItemIndex): boolean => !indexes.has(index);
  state.ready = state.ready.filter(isOther);
  state.delayed = state.delayed.filter(isOther);
  state.poison.alone = state.poison.alone.filter(isOther);
}

/** Takes an item out of the mirror: it is terminal, or about to be replaced. */
export function dropItem(state: State, item: Item): void {
  for (const live of item.rows) removeRow(state, item, live);
  state.items.delete(item.index);
}

/** Its worker is not asked for the row any more. */
export function endRecall(state: State, index: ItemIndex, live: LiveRow): void {
  if (live.recalledFor !== null) awaitNoMore(state, live.recalledFor, index);
  live.recalledFor = null;
}

/** A started item is never stolen (L32). */
export function noteStarted(state: State, index: ItemIndex, live: LiveRow): void {
  if (live.isStarted) return;
  endRecall(state, index, live);
  live.isStarted = true;
  live.sinceMs = state.nowMs;
}

/** No row of the item is on its way to this worker any more; one that has registered again awaits nothing. */
export function awaitNoMore(state: State, id: WorkerId, index: ItemIndex): void {
  state.workers.get(id)?.awaited.delete(index);
}

/** The row is no longer its worker's. */
function forgetRow(state: State, index: ItemIndex, row: Row): void {
  const owner = state.workers.get(row.worker);
  if (owner === undefined) return;
  state.touched.add(owner.id);
  owner.items.delete(index);
  owner.unread.delete(index);
  owner.unmet.delete(index);
  takeOutgoing(owner, index);
}

/** One row of the item is gone; with the last one the item is handed back, and keeps it (L15). */
export function removeRow(state: State, item: Item, live: LiveRow): void {
  endRecall(state, item.index, live);
  forgetRow(state, item.index, live.row);
  item.rows = item.rows.filter((other) => other !== live);
  item.taken = live.row;
}

/** Takes an assignment out of those that wait to be sent. */
export function takeOutgoing(worker: Worker, index: ItemIndex): void {
  worker.outgoingBytes -= worker.outgoing.get(index)?.line.length ?? 0;
  worker.outgoing.delete(index);
}

/** How many items are handed out; `prefetched`: those of them that no worker has said to have begun. */
export function countRunning({ items }: State): { readonly running: number; readonly prefetched: number } {
  const count = { running: 0, prefetched: 0 };
  for (const { rows } of items.values()) {
    if (rows.length === 0) continue;
    count.running += 1;
    if (rows.every((live) => !live.isStarted)) count.prefetched += 1;
  }
  return count;
}

export function itemAt(state: State, index: ItemIndex): Item {
  return present(state.items.get(index), 'item of the mirror');
}

export function lockItem(item: Item, lock: Lock): void {
  assert(item.lock === null, 'one lock at a time');
  item.lock = lock;
}

/** Opens the item's lock: what waited for it is judged when the fact has been taken in (judge.ts). */
export function unlock(state: State, item: Item): void {
  item.lock = null;
  state.reopened.push(item);
}

export function command(state: State, next: Command): void {
  state.commands.push(next);
}

/** The commands since the last call. */
export function takeCommands(state: State): readonly Command[] {
  const taken = state.commands;
  state.commands = [];
  return taken;
}
