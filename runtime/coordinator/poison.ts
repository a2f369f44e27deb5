import { present } from '../base/assert.ts';
import type { ItemIndex } from '../model/row.ts';
import type { Grant } from './commands.ts';
import { isGoing } from './drain.ts';
import { command, lockItem, refOf, rowOfWorker } from './mirror.ts';
import { handBack, handBackAll } from './rows.ts';
import type { Item, State, Worker } from './state.ts';

/**
 * Items that kill their worker. Which one of many it was cannot be known, so those in flight at a crash become suspects and go back
 * uncounted; a suspect of two crashes runs alone on one worker, and only what a worker had alone when it crashed is counted
 * against an item. Nothing is counted where the cause may be elsewhere: several workers lost together, a machine that was about to
 * go, a coordinator that died (its memory of a trial dies with it).
 */

/** So many crashes alone make an item poison: it is recorded as failed. */
export const POISON_CRASHES = 3;
/** Suspicions and crashes after which an item runs alone. */
const ALONE_FAULTS = 2;
/** Workers lost within this before one was are taken to have been lost together with it. */
const TOGETHER_BEFORE_MS = 5_000;
/** And after it: an item whose crash may count waits so long for the verdict. */
export const TOGETHER_AFTER_MS = 1_000;

export function isPoison({ faults }: Item): boolean {
  return faults.crashes >= POISON_CRASHES;
}

export function isAlone({ faults }: Item): boolean {
  return faults.suspicions + faults.crashes >= ALONE_FAULTS;
}

/** Takes the rows of a worker that was lost; `hasCrashed`: its process ended by itself, with nothing announced. */
export function loseRows(state: State, worker: Worker, items: readonly Item[], hasCrashed: boolean): void {
  const isTogether = lossesSince(state, state.nowMs - TOGETHER_BEFORE_MS) > 0;
  state.poison.lossesMs.push(state.nowMs);
  const inFlight = items.filter(({ index }) => !worker.unread.has(index) && !worker.outgoing.has(index));
  if (!hasCrashed || isTogether) return handBackAll(state, worker.id, items, 'lost');
  const [only] = inFlight;
  const isTrial = only !== undefined && inFlight.length === 1 && only.rows.length === 1;
  if (isTrial) beginTrial(state, only);
  else handBackAll(state, worker.id, inFlight, 'suspected');
  handBackAll(
    state,
    worker.id,
    items.filter((item) => !inFlight.includes(item)),
    'lost',
  );
}

/** Whether the crash counts is known only after a while. */
function beginTrial(state: State, item: Item): void {
  lockItem(item, 'crashed');
  state.poison.trials.push({ index: item.index, atMs: state.nowMs });
}

/** Its worker is back with the outcome, or another has it: there is nothing to find out. */
export function acquit(state: State, item: Item): void {
  if (item.lock !== 'crashed') return;
  item.lock = null;
  state.poison.trials = state.poison.trials.filter((trial) => trial.index !== item.index);
}

/** Trials whose time has come: alone means that this was the only worker lost around that moment. */
export function endTrials(state: State): void {
  const { poison, nowMs } = state;
  const due = poison.trials.filter(({ atMs }) => nowMs >= atMs + TOGETHER_AFTER_MS);
  poison.trials = poison.trials.filter((trial) => !due.includes(trial));
  for (const { index, atMs } of due) {
    const item = state.items.get(index);
    const live = item?.rows[0];
    if (item === undefined || live === undefined || item.lock !== 'crashed') continue;
    item.lock = null;
    const isTogether = lossesSince(state, atMs - TOGETHER_BEFORE_MS) > 1;
    handBack(state, item, live, isTogether ? 'lost' : 'crashed', 0);
  }
  poison.lossesMs = poison.lossesMs.filter((atMs) => atMs >= nowMs - TOGETHER_BEFORE_MS - TOGETHER_AFTER_MS);
}

function lossesSince(state: State, sinceMs: number): number {
  return state.poison.lossesMs.filter((atMs) => atMs >= sinceMs).length;
}

/** The last crash: the coordinator records the item in its worker's place (L15). Until then nobody claims it. */
export function condemn(state: State, item: Item): void {
  item.lock = 'condemned';
  state.condemned += 1;
  command(state, { kind: 'condemn', refs: [refOf(item.index, item.taken)], why: 'poison' });
}

/** Keeps one worker free for one item after the other; answers the claim once it has nothing else. */
export function planIsolation(state: State): readonly Grant[] {
  const { poison } = state;
  if (poison.host !== null && isOver(state, poison.host)) poison.host = null;
  if (poison.alone.length > 0 && (poison.host === null || poison.host.index === null)) poison.host = newHost(state);
  if (poison.host === null || poison.host.index !== null) return [];
  const worker = present(state.workers.get(poison.host.worker), 'the host');
  if (worker.items.size > 0 || worker.claiming > 0 || worker.capacity === 0) return [];
  const item = nextAlone(state);
  if (item === null) return [];
  poison.host.index = item.index;
  lockItem(item, 'claiming');
  return [{ worker: worker.id, picks: [{ index: item.index, lastAttempt: item.lastAttempt }] }];
}

/** The worker is gone or about to go, or the item is: recorded, or back in the queue. */
function isOver(state: State, { worker, index }: { readonly worker: string; readonly index: ItemIndex | null }): boolean {
  const host = state.workers.get(worker);
  if (host === undefined) return true;
  if (index === null) return isGoing(host) || state.poison.alone.length === 0;
  const item = state.items.get(index);
  return item === undefined || (item.lock === null && rowOfWorker(item, worker) === undefined);
}

/** The worker that is free soonest: the one that was chosen before, unless another has less to do. */
function newHost(state: State): State['poison']['host'] {
  const chosen = state.poison.host === null ? undefined : state.workers.get(state.poison.host.worker);
  let host: Worker | null = chosen !== undefined && canHost(chosen) ? chosen : null;
  for (const worker of state.workers.values()) {
    if (canHost(worker) && (host === null || loadOf(worker) < loadOf(host))) host = worker;
  }
  return host === null ? null : { worker: host.id, index: null };
}

function canHost(worker: Worker): boolean {
  return worker.isRegistered && worker.session > 0 && worker.state === 'ready' && !isGoing(worker);
}

function loadOf(worker: Worker): number {
  return worker.items.size + worker.claiming;
}

/** Those that have become terminal meanwhile, or have a late outcome on its way, are passed over. */
function nextAlone(state: State): Item | null {
  const { alone } = state.poison;
  const at = alone.findIndex((index) => {
    const item = state.items.get(index);
    return item !== undefined && item.rows.length === 0 && item.lock === null;
  });
  if (at === -1) return null;
  const index = present(alone[at], 'an item to run alone');
  alone.splice(at, 1);
  return present(state.items.get(index), 'an item to run alone');
}
