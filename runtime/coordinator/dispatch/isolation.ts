import { assert, mustGet } from '../../base/assert.ts';
import type { WorkerId } from '../../model/row.ts';
import { isHeldBack, togetherMs } from '../items/poison.ts';
import type { Grant } from '../state/commands.ts';
import { type Item, pickOf, rowOfWorker } from '../state/item.ts';
import { itemAt, lockItem } from '../state/items.ts';
import { unqueue } from '../state/queues.ts';
import type { Poison, State } from '../state/state.ts';
import { isGoing, type Worker } from '../state/worker.ts';

/**
 * Suspects of two crashes run alone: one worker is kept free for one of them after the other, while the others go on. None starts
 * shortly after a loss, since its own crash would then not count (poison.ts); where workers are lost all the time it starts anyhow,
 * so that a good one is not kept from its result.
 */

/** Times the span of losses together that an item waits for one without any. */
const PATIENCE = 3;

/** How many items each worker is given in the round that is being planned. */
type Granted = ReadonlyMap<WorkerId, number>;

/** Answers the claim for the next that runs alone, once a worker has nothing else. */
export function planIsolation(state: State, granted: Granted): readonly Grant[] {
  const { poison } = state;
  if (poison.host !== null && isOver(state, poison.host)) release(state);
  if (state.alone.length === 0 || isBusy(poison.host)) return [];
  const item = nextAlone(state);
  if (item === null) {
    release(state);
    return [];
  }
  const host = newHost(state, granted);
  if (host?.worker !== poison.host?.worker) release(state);
  poison.host = host;
  if (poison.host === null) return [];
  const worker = mustGet(state.workers.get(poison.host.worker), 'the host');
  if (loadOf(state, granted, worker) > 0 || worker.capacity === 0) return [];
  poison.host.index = item.index;
  unqueue(state, new Set([item.index]));
  lockItem(item, 'claiming');
  return [{ worker: worker.id, picks: [pickOf(item)] }];
}

/** It works like the others again. */
function release({ poison, withCapacity }: State): void {
  if (poison.host !== null) withCapacity.add(poison.host.worker);
  poison.host = null;
}

function isBusy(host: Poison['host']): boolean {
  return host !== null && host.index !== null;
}

/** The worker can take nothing, or its item is gone: recorded, or back in the queue. */
function isOver(state: State, { worker, index }: NonNullable<Poison['host']>): boolean {
  const host = state.workers.get(worker);
  if (host === undefined) return true;
  if (index === null) return state.alone.length === 0 || !canHost(host);
  const item = state.items.get(index);
  if (item === undefined || isHeldBack(item)) return true;
  return item.lock === null && rowOfWorker(item, worker) === undefined;
}

/** The worker that is free soonest: the one that was chosen before, unless one that has changed since has less to do. */
function newHost(state: State, granted: Granted): Poison['host'] {
  const chosen = state.poison.host === null ? undefined : state.workers.get(state.poison.host.worker);
  let host: Worker | null = chosen !== undefined && canHost(chosen) ? chosen : null;
  for (const id of state.dirty) {
    const worker = state.workers.get(id);
    if (worker !== undefined && canHost(worker) && (host === null || loadOf(state, granted, worker) < loadOf(state, granted, host)))
      host = worker;
  }
  return host === null ? null : { worker: host.id, index: null };
}

/** One that is not ready and takes an item all the same wants to find out whether its backend works again: nothing else may be left to try. */
function canHost(worker: Worker): boolean {
  const takesItems = worker.state === 'ready' || worker.capacity > 0;
  return worker.isRegistered && worker.session > 0 && takesItems && !isGoing(worker);
}

function loadOf(state: State, granted: Granted, worker: Worker): number {
  const heldBack = state.heldFailures.filter(({ outcome }) => worker.items.has(outcome.index)).length;
  return worker.items.size - heldBack + (granted.get(worker.id) ?? 0) + worker.awaited.size;
}

/** Those that have become terminal meanwhile are dropped, and one with a late outcome on its way is passed over. */
function nextAlone(state: State): Item | null {
  unqueue(state, new Set(state.alone.filter((index) => !state.items.has(index))));
  for (const index of state.alone) {
    const item = itemAt(state, index);
    assert(item.rows.length === 0, 'what runs alone runs nowhere else');
    if (item.lock === null && mayStart(state, item)) return item;
  }
  return null;
}

function mayStart(state: State, { dueAtMs }: Item): boolean {
  const { poison, nowMs } = state;
  const windowMs = togetherMs(state);
  if (poison.losses.every(({ atMs }) => nowMs > atMs + windowMs)) return true;
  return nowMs - Math.max(poison.lastAloneLossMs, dueAtMs) > PATIENCE * windowMs;
}
