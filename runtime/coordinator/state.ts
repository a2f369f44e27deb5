import { assert, present } from '../base/assert.ts';
import type { Faults, Scan } from '../ledger/contract.ts';
import type { Attempt, Epoch, ItemIndex, ItemRef, Row, WorkerId } from '../model/row.ts';
import { COORDINATOR_WORKER } from '../model/row.ts';
import type { Assignment, Order, Outcome, WorkerState } from '../model/session.ts';
import type { Command, Grant, Token } from './commands.ts';

/** What the machine needs to know of the settings; all times in milliseconds. */
export interface MachineSettings {
  readonly heartbeatIntervalMs: number;
  readonly coordinatorFailureTimeoutMs: number;
  readonly clockSkewBudgetMs: number;
  readonly pollWaitMs: number;
  readonly drainTimeoutMs: number;
  /** Failures after which an item is recorded as failed. */
  readonly maxAttempts: number;
  /** How many 401, 403 or 404 answers in a row pause the run. */
  readonly breaker: number;
}

/**
 * Why an item's row must not be touched just now. recording: between the hand-over to the log and a known settle (L19);
 * returning: a hand-back is under way (L28); claiming: a claim is; suspect: its answer may be the endpoint's fault (breaker.ts).
 */
export type Lock = 'recording' | 'returning' | 'claiming' | 'suspect';

/** The mirror of one item that is handed out and not terminal. */
export interface Item {
  readonly index: ItemIndex;
  isRunning: boolean;
  row: Row;
  faults: Faults;
  /** Boot of the worker for which the row was claimed; empty where it is not known. */
  bootNonce: string;
  /** A handed-back item is not claimed before this moment of the monotonic clock. */
  dueAtMs: number;
  lock: Lock | null;
  /** Outcomes to be judged again when the lock opens (L19). */
  readonly waiting: { readonly worker: WorkerId; readonly outcome: Outcome }[];
}

export interface Batch {
  readonly number: number;
  readonly assignments: readonly Assignment[];
  readonly revoked: readonly ItemRef[];
  /** False when it must be put into the next reply (again). */
  isUnderway: boolean;
}

export interface Worker {
  readonly id: WorkerId;
  bootNonce: string;
  pid: number;
  concurrency: number;
  state: WorkerState | 'unknown';
  /** False until the ledger has its registry row: no claim before. */
  isRegistered: boolean;
  isSuspected: boolean;
  dueAtMs: number;
  lastBeatMs: number;
  /** 0 while no session of this boot is open. */
  session: number;
  poll: number;
  capacity: number;
  /** Indexes of its running rows. */
  readonly items: Set<ItemIndex>;
  /** Claims of it that are being carried out or whose lines are being read. */
  claiming: number;
  readonly loading: Set<ItemIndex>;
  readonly outgoing: Map<ItemIndex, Assignment>;
  revoked: ItemRef[];
  acknowledged: ItemRef[];
  stale: ItemRef[];
  sent: Batch | null;
  batches: number;
  waiting: { readonly token: Token; readonly untilMs: number } | null;
  /** Beats that wait for the registration. */
  beats: Token[];
  toldOrder: Order;
}

/** What is known of the input ahead of the cursor. */
export interface Supply {
  /** Indexes below this one have been surveyed. */
  upTo: number;
  /** Invalid indexes at or above the cursor, ascending. */
  invalid: ItemIndex[];
  isSurveying: boolean;
  /** Lines indexed so far, for display. */
  indexed: number;
  /** Number of items; null while indexing goes on. */
  items: number | null;
}

export type Phase =
  | { readonly kind: 'running' }
  | { readonly kind: 'pausing'; readonly reason: string; readonly untilMs: number; isRecorded: boolean }
  | { readonly kind: 'finishing' }
  | { readonly kind: 'finished'; readonly untilMs: number }
  | { readonly kind: 'stopped' };

export interface State {
  readonly settings: MachineSettings;
  readonly epoch: Epoch;
  phase: Phase;
  cursor: ItemIndex;
  done: number;
  failed: number;
  readonly supply: Supply;
  readonly items: Map<ItemIndex, Item>;
  /** Handed-back items that may be claimed now, in the order in which they came back. */
  ready: ItemIndex[];
  /** Handed-back items whose time has not come. */
  delayed: ItemIndex[];
  /** The round of claims that is under way; null when a new one may be planned. */
  claims: readonly Grant[] | null;
  readonly workers: Map<WorkerId, Worker>;
  /** Boots that another boot of the same worker has replaced (L26). */
  readonly replacedBoots: Set<string>;
  /** Polls of unknown workers; answered at the next tick, so that they cannot spin. */
  strangers: Token[];
  /** Answers in a row that point at the endpoint, not at the item. */
  readonly suspects: { readonly worker: WorkerId; readonly outcome: Outcome }[];
  /** Workers whose goodbye has not been answered yet. */
  leaving: number;
  /** Items that the coordinator itself is recording. */
  condemned: number;
  lastTickMs: number;
  commands: Command[];
}

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

/** A running row found in the ledger; its owner is due even where no registry names it (L25). */
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
    isRegistered: false,
    isSuspected: false,
    dueAtMs,
    lastBeatMs: nowMs,
    session: 0,
    poll: 0,
    capacity: 0,
    items: new Set(),
    claiming: 0,
    loading: new Set(),
    outgoing: new Map(),
    revoked: [],
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
  const item: Item = { index, isRunning: true, row, faults, bootNonce, dueAtMs: 0, lock: null, waiting: [] };
  state.items.set(index, item);
  state.workers.get(row.worker)?.items.add(index);
  return item;
}

export function addHandedBack(state: State, index: ItemIndex, row: Row, faults: Faults, nowMs: number): Item {
  const item: Item = { index, isRunning: false, row, faults, bootNonce: '', dueAtMs: nowMs + faults.delayMs, lock: null, waiting: [] };
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
  owner?.outgoing.delete(item.index);
  owner?.loading.delete(item.index);
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
