import { mustGet } from '../../base/assert.ts';
import type { Move, ReassignReply } from '../../ledger/contract.ts';
import type { ItemIndex, WorkerId } from '../../model/row.ts';
import { takeFound } from '../items/found.ts';
import { isAlone } from '../items/poison.ts';
import { command } from '../state/commands.ts';
import { type ActiveClaim, findRow, type Item, refOf, rowOfWorker } from '../state/item.ts';
import { addRow, itemAt, leaveWhereItIs, noteGivenBack, noteStarted, recall, removeRow, unlock } from '../state/items.ts';
import { acknowledge, handBack, reassign } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { isGoing, type Worker } from '../state/worker.ts';
import { awaitNoMore, reconcileLater, sendItem, tellOf, withholdItem } from '../state/workers.ts';
import { freeSlots } from './claims.ts';

/**
 * Stealing: where nothing is left to claim, a worker that has started all it has gets unstarted items of the one with most of
 * them. The victim is asked, releases what it has not started and now never will, and only then the row moves, by a
 * compare-and-swap in the ledger (L32). No answer: the failure rule decides.
 */

/** Items moved at a time: the victim keeps half of its own, and one request stays short. */
export const MAX_STEAL = 32;

interface Unstarted {
  readonly item: Item;
  readonly live: ActiveClaim;
}

/** Nothing is left that could be claimed now. */
export function isQueueEmpty({ phase, supply, cursor, ready, claims }: State): boolean {
  return phase.kind === 'running' && supply.items !== null && cursor >= supply.items && ready.length === 0 && claims === null;
}

/** Slots of a worker that has started all its rows, and is promised nothing; 0 where it has not. */
export function idleSlots(state: State, worker: Worker): number {
  if (worker.state !== 'ready') return 0;
  const free = Math.min(freeSlots(state, worker), worker.concurrency - worker.items.size) - worker.awaited.size;
  return free > 0 && hasStartedAll(state, worker) ? free : 0;
}

function hasStartedAll(state: State, worker: Worker): boolean {
  for (const index of worker.items) if (rowOfWorker(itemAt(state, index), worker.id)?.isStarted !== true) return false;
  return true;
}

/** Called at each scan. */
export function planSteals(state: State): void {
  if (!isQueueEmpty(state)) return;
  const thieves = [...state.workers.values()].filter((worker) => idleSlots(state, worker) > 0);
  if (thieves.length === 0) return;
  const backlogs = [...state.workers.values()]
    .map((worker) => ({ worker, backlog: backlogOf(state, worker) }))
    .filter(({ backlog }) => backlog.length > 0);
  for (const thief of thieves) {
    const richest = backlogs.reduce<(typeof backlogs)[number] | null>(
      (most, one) => (most === null || one.backlog.length > most.backlog.length ? one : most),
      null,
    );
    // Many workers that idle beside a few that have nothing to give: each of them would look at all others, four times a second.
    if (richest === null || richest.backlog.length === 0) return;
    const count = Math.min(Math.ceil(richest.backlog.length / 2), MAX_STEAL, idleSlots(state, thief));
    // The last in line is what the victim would start last.
    if (count > 0) steal(state, richest.worker, thief, richest.backlog.splice(-count));
  }
}

/**
 * Rows that the worker has not reported started, in the order in which they were given to it. What has started is told within one
 * scan, so that a younger row may well have.
 */
function backlogOf(state: State, worker: Worker): Unstarted[] {
  const youngestMs = state.nowMs - state.settings.heartbeatIntervalMs / 2;
  const backlog: Unstarted[] = [];
  for (const index of worker.items) {
    const item = itemAt(state, index);
    const live = mustGet(rowOfWorker(item, worker.id), 'a row of the worker');
    // The thief may be the one that has the other attempt.
    if (item.rows.length > 1) continue;
    const isFree = item.lock === null && !live.isStarted && live.recalledFor === null && live.sinceMs <= youngestMs && !isAlone(item);
    if (isFree) backlog.push({ item, live });
  }
  return backlog.sort((a, b) => a.live.sinceMs - b.live.sinceMs);
}

/** What the victim was never sent moves at once; the rest it is asked for. */
function steal(state: State, victim: Worker, thief: Worker, rows: readonly Unstarted[]): void {
  const moves: Move[] = [];
  for (const { item, live } of rows) {
    const isUnsent = withholdItem(state, victim.id, item.index);
    recall(state, item, live, thief.id);
    if (isUnsent) moves.push(reassign(state, item, live, thief.id));
    else tellOf(state, victim.id, 'recalled', refOf(item.index, live.row));
  }
  if (moves.length > 0) command(state, { kind: 'reassign', moves });
}

/** The victim has acknowledged these recalls: what it has not released by now it has started. */
export function endRecalls(
  state: State,
  worker: Worker,
  recalled: readonly { readonly index: ItemIndex; readonly attempt: number }[],
): void {
  for (const { index, attempt } of recalled) {
    const item = state.items.get(index);
    const live = item === undefined ? undefined : rowOfWorker(item, worker.id);
    if (live === undefined || live.row.attempt !== attempt || live.isLeaving || live.recalledFor === null) continue;
    noteStarted(state, index, live);
  }
}

/** The ledger's word on each move; null: the run is paused, and nothing moved. */
export function onReassigned(state: State, moves: readonly Move[], verdicts: ReassignReply['verdicts'] | null): void {
  const stolen = new Map<string, { readonly from: WorkerId; readonly to: WorkerId; items: number }>();
  for (const [at, { index, row, to }] of moves.entries()) {
    const item = itemAt(state, index);
    const live = mustGet(findRow(item, row), 'the row being moved');
    awaitNoMore(state, to, index);
    const verdict = verdicts === null ? null : mustGet(verdicts[at], 'a verdict on a move');
    if (verdict?.kind !== 'moved') {
      onRefused(state, item, live, verdict);
      continue;
    }
    if (live.isGivenBack) acknowledge(state, row.worker, refOf(index, row));
    const pair = stolen.get(`${row.worker} ${to}`) ?? { from: row.worker, to, items: 0 };
    stolen.set(`${row.worker} ${to}`, { ...pair, items: pair.items + 1 });
    removeRow(state, item, live);
    giveRow(state, item, to, verdict.attempt);
  }
  for (const event of stolen.values()) command(state, { kind: 'emit', event: { kind: 'items_stolen', ...event } });
}

/** A row that the ledger has just written for this worker; where it has gone meanwhile, or is to go, the row goes back (L31). */
export function giveRow(state: State, item: Item, worker: WorkerId, attempt: number): void {
  addRow(state, item, { worker, attempt, claimEpoch: state.epoch });
  const owner = state.workers.get(worker);
  state.dirty.add(worker);
  if (owner !== undefined && isGoing(owner)) reconcileLater(state, worker, item.index);
  else sendItem(state, worker, item.index);
  unlock(state, item);
}

/** The victim has let go of it, so that it goes back where it still stands; only then, or where it is gone, may the victim forget it (L29). */
function onRefused(
  state: State,
  item: Item,
  live: ActiveClaim,
  verdict: Exclude<ReassignReply['verdicts'][number], { kind: 'moved' }> | null,
): void {
  const { isGivenBack } = live;
  leaveWhereItIs(item, live, 'moving');
  if (verdict !== null) takeFound(state, verdict.found);
  const now = state.items.get(item.index);
  const still = findRow(now, live.row);
  if (now !== undefined && still !== undefined && now.lock === null) {
    if (isGivenBack) noteGivenBack(still);
    handBack(state, now, still, 'recalled', 0);
  } else if (still === undefined && isGivenBack) acknowledge(state, live.row.worker, refOf(item.index, live.row));
}
