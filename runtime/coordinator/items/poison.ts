import { command } from '../state/commands.ts';
import { type Item, refOf, rowOfWorker } from '../state/item.ts';
import { itemAt, lockItem, openLock } from '../state/items.ts';
import { handBack, handBackAll } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';

/**
 * Items that kill their worker. Which one of many it was cannot be known, so those in flight at a crash become suspects and go back
 * uncounted; a suspect of two crashes runs alone on one worker (isolation.ts), and only what a worker had alone when it crashed is
 * counted against an item. Nothing is counted where the cause may be elsewhere: several workers lost together, a machine that was
 * about to go, a coordinator that died (its memory of a trial dies with it).
 *
 * An item that kills every worker makes losses that look like losses together. So what was in flight at two of them is suspect all
 * the same: it is what they have in common. And one that runs alone waits until the losses before it cannot be taken for one with
 * its own, else a fleet would die again and again with nothing ever counted.
 */

/** So many crashes alone make an item poison: it is recorded as failed. */
export const POISON_CRASHES = 3;
/** Suspicions and crashes after which an item runs alone. */
const ALONE_FAULTS = 2;
/** The longest that two losses may be apart and count as one: long enough for what a short failure timeout sees late. */
const MAX_TOGETHER_MS = 5_000;
/** What kills its worker mostly does so within this: it does not fit into memory, or breaks an assumption as it is read. */
const YOUNG_MS = 10_000;

/** Two workers lost within this are taken to have been lost together: of one the exit is seen, of the other only its silence. */
export function togetherMs({ settings }: State): number {
  return Math.min(settings.coordinatorFailureTimeoutMs, MAX_TOGETHER_MS);
}

export function isPoison({ faults }: Item): boolean {
  return faults.crashes >= POISON_CRASHES;
}

export function isSuspect({ faults }: Item): boolean {
  return faults.suspicions + faults.crashes > 0;
}

export function isAlone({ faults }: Item): boolean {
  return faults.suspicions + faults.crashes >= ALONE_FAULTS;
}

/** By the breaker: it has been executed, and may wait for the very answer of a suspect that waits for it. */
export function isHeldBack({ lock }: Item): boolean {
  return lock === 'suspect';
}

/**
 * How many suspects more a worker may be given now. Within some seconds it gets the square root of what it can run, so that a second
 * crash leaves few that have to run alone one after the other. Most suspects only had a worker that was killed: those that have run for
 * longer make room, so that the end of a list is not held up for long.
 */
export function suspectRoom(state: State, worker: Worker): number {
  const youngMs = state.nowMs - YOUNG_MS;
  let young = 0;
  for (const index of worker.items) {
    const item = itemAt(state, index);
    const isYoung = (rowOfWorker(item, worker.id)?.sinceMs ?? 0) > youngMs;
    if (isYoung && isSuspect(item) && !isHeldBack(item)) young += 1;
  }
  return Math.max(0, Math.ceil(Math.sqrt(Math.max(1, worker.concurrency))) - young);
}

/** Takes the rows of a worker that was lost; `hasCrashed`: its process ended by itself, with nothing announced. */
export function loseRows(state: State, worker: Worker, items: readonly Item[], hasCrashed: boolean): void {
  const inFlight = items.filter(({ index }) => !worker.unread.has(index) && !worker.outgoing.has(index));
  const { isTogether, isCommon } = noteLoss(state, worker, inFlight);
  // What an earlier coordinator claimed may have been lost with that one.
  const suspects = inFlight.filter((item) => hasCrashed && rowOfWorker(item, worker.id)?.row.claimEpoch === state.epoch);
  const [only] = suspects;
  const isPendingCrash = !isTogether && only !== undefined && inFlight.length === 1 && only.rows.length === 1;
  const suspected = isPendingCrash ? [] : suspects.filter((item) => !isTogether || isCommon(item));
  if (isPendingCrash) holdPendingCrash(state, only);
  handBackAll(state, worker.id, suspected, 'suspected');
  const others = items.filter((item) => !suspected.includes(item) && !(isPendingCrash && item === only));
  handBackAll(state, worker.id, others, 'lost');
}

/** Whether other workers were lost just before, and what was in flight at one of those losses too. */
function noteLoss(
  state: State,
  worker: Worker,
  inFlight: readonly Item[],
): { readonly isTogether: boolean; readonly isCommon: (item: Item) => boolean } {
  const { poison, nowMs } = state;
  const before = poison.losses.filter(({ atMs }) => atMs >= nowMs - togetherMs(state));
  poison.losses.push({ atMs: nowMs, items: new Set(inFlight.map(({ index }) => index)) });
  if (poison.host?.worker === worker.id && poison.host.index !== null) poison.lastAloneLossMs = nowMs;
  return { isTogether: before.length > 0, isCommon: ({ index }) => before.some(({ items }) => items.has(index)) };
}

/** Whether the crash counts is known only after a while. */
function holdPendingCrash(state: State, item: Item): void {
  lockItem(item, 'crashed');
  state.poison.pendingCrashes.push({ index: item.index, atMs: state.nowMs });
}

/** Its worker is back with the outcome, or another has it: there is nothing to find out. */
export function dropPendingCrash(state: State, item: Item): void {
  if (item.lock !== 'crashed') return;
  openLock(item, 'crashed');
  state.poison.pendingCrashes = state.poison.pendingCrashes.filter((pending) => pending.index !== item.index);
}

/** Pending crashes whose time has come: alone means that this was the only worker lost around that moment. */
export function resolvePendingCrashes(state: State): void {
  const { poison, nowMs } = state;
  const windowMs = togetherMs(state);
  const due = poison.pendingCrashes.filter(({ atMs }) => nowMs > atMs + windowMs);
  poison.pendingCrashes = poison.pendingCrashes.filter((pending) => !due.includes(pending));
  for (const { index, atMs } of due) {
    const item = state.items.get(index);
    const live = item?.rows[0];
    if (item === undefined || live === undefined || item.lock !== 'crashed') continue;
    openLock(item, 'crashed');
    const isTogether = poison.losses.filter((loss) => Math.abs(loss.atMs - atMs) <= windowMs).length > 1;
    handBack(state, item, live, isTogether ? 'lost' : 'crashed', 0);
  }
  // A pending crash that is still open asks for what was lost before it.
  poison.losses = poison.losses.filter(({ atMs }) => atMs >= nowMs - 2 * windowMs - state.settings.heartbeatIntervalMs);
}

/** The last crash: the coordinator records the item in its worker's place (L15). Until then nobody claims it. */
export function rejectItem(state: State, item: Item): void {
  lockItem(item, 'rejected');
  state.rejected += 1;
  command(state, { kind: 'reject', refs: [refOf(item.index, item.taken)], why: 'poison' });
}
