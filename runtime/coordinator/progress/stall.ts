import { formatDuration } from '../../base/config/quantity.ts';
import { oneLine } from '../../model/detail.ts';
import type { Stall } from '../../model/status.ts';
import { command } from '../state/commands.ts';
import { countRunning } from '../state/mirror.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';
import { stopStalled } from './ending.ts';
import { keyOf, waitsOf } from './waits.ts';

/**
 * A run has stalled if no item has become terminal for ten times the longest item time seen, and for some minutes. It then reports the
 * likely cause; with `stallTimeout` it ends at that limit.
 */

const PATIENCE = 10;

/** An item has become terminal. `sinceMs`: when the row that settled began, where a worker had it. */
export function noteHeadway(state: State, sinceMs: number | null): void {
  const { headway, nowMs } = state;
  if (sinceMs !== null) headway.longestItemMs = Math.max(headway.longestItemMs, nowMs - sinceMs);
  if (headway.told !== null)
    command(state, { kind: 'emit', event: { kind: 'run_goes_on', stalledMs: Math.round(nowMs - headway.lastMs) } });
  headway.lastMs = nowMs;
  headway.losses = 0;
  headway.lostItems = 0;
  headway.told = null;
}

/** A worker was failed, and so many items were taken from it. */
export function noteLoss({ headway }: State, items: number): void {
  headway.losses += 1;
  headway.lostItems += items;
}

/** The coordinator itself stood still. */
export function extendHeadway({ headway }: State, pausedMs: number): void {
  headway.lastMs += pausedMs;
}

/** Called at each scan. */
export function scanStall(state: State): void {
  const { headway, settings, nowMs } = state;
  if (!isExpected(state)) headway.lastMs = nowMs;
  const stall = stallOf(state, nowMs);
  if (stall !== null && keyOf(stall.why) !== headway.told) {
    headway.told = keyOf(stall.why);
    command(state, { kind: 'emit', event: { kind: 'run_stalled', why: stall.why, sinceMs: stall.sinceMs } });
  }
  if (nowMs - headway.lastMs >= settings.stallTimeoutMs) stopStalled(state, whyStalled(state, nowMs));
}

/** Null while items become terminal as quickly as they have so far. */
export function stallOf(state: State, nowMs: number): Stall | null {
  const { headway, settings } = state;
  const sinceMs = Math.round(nowMs - headway.lastMs);
  if (!isExpected(state) || sinceMs < Math.max(settings.stallAfterMs, PATIENCE * headway.longestItemMs)) return null;
  return { sinceMs, why: whyStalled(state, nowMs) };
}

/** While the input is being indexed there may be nothing to execute yet. */
function isExpected({ phase, items, cursor, supply }: State): boolean {
  return phase.kind === 'running' && (items.size > 0 || cursor < supply.upTo);
}

/** The most likely cause; of several, the one that explains the others. */
function whyStalled(state: State, nowMs: number): string {
  return oneLine(
    ofWorkers(state) ?? `${ofItems(state, nowMs) ?? ofLosses(state) ?? ofIsolation(state) ?? ofRunning(state)}${ofReady(state)}`,
  );
}

/** Workers that take items may have something in their way, such as a full disk that keeps them from handing over results. */
function ofReady(state: State): string {
  const detail = commonestDetail([...state.workers.values()]);
  return detail === null ? '' : `; workers say: ${detail}`;
}

function ofWorkers(state: State): string | null {
  const workers = [...state.workers.values()];
  const losses = ofLosses(state);
  if (workers.length === 0) return losses === null ? 'no worker is connected' : `no worker is connected: ${losses}`;
  if (workers.some((worker) => worker.state === 'ready' && !worker.isSuspected)) return null;
  const detail = commonestDetail(workers);
  return detail === null ? losses : `no worker takes items: ${detail}`;
}

function commonestDetail(workers: readonly Worker[]): string | null {
  const counts = new Map<string, number>();
  for (const { detail } of workers) if (detail !== '') counts.set(detail, (counts.get(detail) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function ofItems(state: State, nowMs: number): string | null {
  const [commonest] = waitsOf(state, nowMs);
  if (commonest === undefined) return null;
  const { reason, items, nextTryMs } = commonest;
  const next = nextTryMs === null ? 'being tried again' : `next try in ${formatDuration(Math.ceil(nextTryMs / 1_000) * 1_000)}`;
  return `${items} item${items === 1 ? ' waits' : 's wait'} (${next}): ${reason}`;
}

function ofLosses({ headway }: State): string | null {
  const { losses, lostItems } = headway;
  return losses === 0
    ? null
    : `workers were lost ${losses} times without any item ending, and ${lostItems} items went back each to be executed again`;
}

function ofIsolation({ alone, poison }: State): string | null {
  const count = alone.length + (poison.host?.index == null ? 0 : 1);
  return count === 0 ? null : `${count} items run alone, one after the other, since their workers crashed twice`;
}

function ofRunning(state: State): string {
  const { running } = countRunning(state);
  return running === 0 ? 'no worker has room for items' : `${running} items are being executed, and none has ended`;
}
