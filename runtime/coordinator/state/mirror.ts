import { NEW_LOG_THROTTLE } from '../../base/log-throttle.ts';
import type { RunningItem, Scan } from '../../ledger/contract.ts';
import { noDurations } from '../../model/durations.ts';
import { COORDINATOR_WORKER, type Epoch, type Row } from '../../model/row.ts';
import { rowsOf } from './item.ts';
import { ItemTable } from './item-table.ts';
import { addFresh, addRunning, noteBoot } from './items.ts';
import { addHandedBack } from './queues.ts';
import type { MachineSettings, State } from './state.ts';
import { expectWorker } from './workers.ts';

/** Builds the mirror from a scan (L24). Running rows are taken over as in flight. */
export function stateFrom(settings: MachineSettings, epoch: Epoch, scan: Scan, nowMs: number): State {
  const state: State = {
    settings,
    epoch,
    phase: { kind: 'running' },
    cursor: scan.progress.cursor,
    done: scan.progress.done,
    failed: scan.progress.failed,
    redone: scan.progress.redone,
    supply: { upTo: scan.progress.cursor, invalid: [], isSurveying: false, indexed: 0, items: null },
    items: new ItemTable(),
    ready: [],
    delayed: [],
    alone: [],
    claims: null,
    workers: new Map(),
    hints: { file: [], told: new Map(), asked: new Map(), drains: new Map() },
    replacedBoots: new Set(),
    goneBoots: new Map(),
    dirty: new Set(),
    withCapacity: new Set(),
    unregistered: new Set(),
    heldFailures: [],
    reopened: [],
    granted: [],
    leaving: 0,
    rejected: 0,
    nowMs,
    lastTickMs: nowMs,
    durations: noDurations(),
    poison: { losses: [], pendingCrashes: [], lastAloneLossMs: Number.NEGATIVE_INFINITY, host: null },
    headway: { lastMs: nowMs, longestItemMs: 0, losses: 0, lostItems: 0, told: null },
    waits: { causes: new Map(), counted: [], countedAtMs: Number.NEGATIVE_INFINITY, lookedAtMs: nowMs, told: NEW_LOG_THROTTLE },
    commands: [],
  };
  for (const { worker, info } of scan.workers) expectWorker(state, worker, nowMs, info);
  for (const running of scan.running) takeOver(state, running, nowMs);
  for (const handedBack of scan.handedBack) addHandedBack(state, handedBack);
  return state;
}

/** A running item found at boot; its owners are due even where no registry names them (L25). */
function takeOver(state: State, running: RunningItem, nowMs: number): void {
  for (const { worker } of rowsOf(running)) {
    if (worker !== COORDINATOR_WORKER && !state.workers.has(worker)) expectWorker(state, worker, nowMs, null);
  }
  const isOfOlderBoot = (row: Row): boolean => state.workers.get(row.worker)?.hasOlderRows === true;
  if (isAsGranted(running)) return addFresh(state, running.index, running.row, isOfOlderBoot(running.row));
  for (const live of addRunning(state, running).rows) if (isOfOlderBoot(live.row)) noteBoot(live, '');
}

/** What the coordinator has for itself it goes on with at once: that is not as a worker's. */
function isAsGranted({ row, second, lastAttempt, faults }: RunningItem): boolean {
  const { failures, suspicions, crashes, delayMs, restores } = faults;
  const isUntried = failures + suspicions + crashes + delayMs + restores === 0 && lastAttempt === row.attempt;
  return isUntried && second === null && row.worker !== COORDINATOR_WORKER;
}

/** How many items are handed out; `prefetched`: those of them that no worker has said to have begun. */
export function countRunning({ items }: State): { readonly running: number; readonly prefetched: number } {
  const { size, started } = items.fresh;
  const count = { running: size, prefetched: size - started };
  for (const { rows } of items.withHistory()) {
    if (rows.length === 0) continue;
    count.running += 1;
    if (rows.every((live) => !live.isStarted)) count.prefetched += 1;
  }
  return count;
}
