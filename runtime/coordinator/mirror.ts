import { assert, present } from '../base/assert.ts';
import type { Faults, Scan } from '../ledger/contract.ts';
import { type Attempt, COORDINATOR_WORKER, type Epoch, type ItemIndex, type ItemRef, type Row, type WorkerId } from '../model/row.ts';
import type { Command } from './commands.ts';
import type { Item, Lock, MachineSettings, State, Worker } from './state.ts';

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
    replacedBoots: new Set(),
    goneBoots: new Map(),
    strangers: [],
    suspects: [],
    leaving: 0,
    condemned: 0,
    lastTickMs: nowMs,
    commands: [],
  };
  for (const { worker, info } of scan.workers) expectWorker(state, worker, nowMs, info);
  for (const { index, row, faults } of scan.running) takeOver(state, index, row, faults, nowMs);
  for (const { index, row, faults } of scan.handedBack) addHandedBack(state, index, row, faults, nowMs);
  return state;
}

/** A running row found at boot; its owner is due even where no registry names it (L25). */
export function takeOver(state: State, index: ItemIndex, row: Row, faults: Faults, nowMs: number): Item {
  const owner = row.worker === COORDINATOR_WORKER ? null : (state.workers.get(row.worker) ?? expectWorker(state, row.worker, nowMs, null));
  return addRunning(state, index, row, faults, owner === null ? '' : owner.bootNonce);
}

function expectWorker(
  state: State,
  id: WorkerId,
  nowMs: number,
  info: { readonly bootNonce: string; readonly pid: number; readonly concurrency: number } | null,
): Worker {
  const worker = newWorker(id, info?.bootNonce ?? '', nowMs + state.settings.heartbeatIntervalMs, nowMs);
  worker.pid = info?.pid ?? 0;
  worker.concurrency = info?.concurrency ?? 0;
  worker.isRegistered = info !== null;
  state.workers.set(id, worker);
  return worker;
}

export function newWorker(id: WorkerId, bootNonce: string, dueAtMs: number, nowMs: number): Worker {
  return {
    id,
    bootNonce,
    pid: 0,
    concurrency: 0,
    state: 'unknown',
    detail: '',
    isRegistered: false,
    isSuspected: false,
    dueAtMs,
    lastBeatMs: nowMs,
    session: 0,
    poll: 0,
    capacity: 0,
    items: new Set(),
    claiming: 0,
    unread: new Set(),
    isReading: false,
    outgoing: new Map(),
    outgoingBytes: 0,
    revoked: [],
    recalled: [],
    acknowledged: [],
    stale: [],
    sent: null,
    batches: 0,
    waiting: null,
    beats: [],
    toldOrder: 'work',
  };
}

export function addRunning(state: State, index: ItemIndex, row: Row, faults: Faults, bootNonce: string): Item {
  const item: Item = { index, isRunning: true, row, faults, bootNonce, dueAtMs: 0, lock: null, isGivenBack: false, waiting: [] };
  state.items.set(index, item);
  state.workers.get(row.worker)?.items.add(index);
  return item;
}

export function addHandedBack(state: State, index: ItemIndex, row: Row, faults: Faults, nowMs: number): Item {
  const dueAtMs = nowMs + faults.delayMs;
  const item: Item = { index, isRunning: false, row, faults, bootNonce: '', dueAtMs, lock: null, isGivenBack: false, waiting: [] };
  state.items.set(index, item);
  if (faults.delayMs > 0) state.delayed.push(index);
  else state.ready.push(index);
  return item;
}

/** Takes an item out of the mirror: it is terminal. */
export function dropItem(state: State, item: Item): void {
  forgetRow(state, item);
  state.items.delete(item.index);
}

/** The row is no longer its worker's. */
export function forgetRow(state: State, item: Item): void {
  const owner = state.workers.get(item.row.worker);
  owner?.items.delete(item.index);
  if (owner !== undefined) takeOutgoing(owner, item.index);
  owner?.unread.delete(item.index);
}

/** Takes an assignment out of those that wait to be sent. */
export function takeOutgoing(worker: Worker, index: ItemIndex): void {
  worker.outgoingBytes -= worker.outgoing.get(index)?.line.length ?? 0;
  worker.outgoing.delete(index);
}

export function itemAt(state: State, index: ItemIndex): Item {
  return present(state.items.get(index), 'item of the mirror');
}

export function lockItem(item: Item, lock: Lock): void {
  assert(item.lock === null, 'one lock at a time');
  item.lock = lock;
}

export function refOf(item: Item): ItemRef {
  return { index: item.index, attempt: item.row.attempt, claimEpoch: item.row.claimEpoch };
}

export function rowOf(worker: WorkerId, ref: { readonly attempt: Attempt; readonly claimEpoch: Epoch }): Row {
  return { worker, attempt: ref.attempt, claimEpoch: ref.claimEpoch };
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
