import { onReason } from '../../base/log-throttle.ts';
import { parseOutputLine } from '../../format/output-line.ts';
import { oneLine } from '../../model/detail.ts';
import type { ItemReturn, Outcome } from '../../model/session.ts';
import type { WaitReason } from '../../model/status.ts';
import { command } from '../state/commands.ts';
import type { Item, WaitCause } from '../state/item.ts';
import { noteWhy } from '../state/items.ts';
import type { State, WaitGroup } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';

/**
 * Why items wait: the code and the words of the failure or refusal with which the last attempt of each ended. Items with the same cause
 * share one object, and all items are counted again only as often as their number allows: a run may have a million that wait.
 */

/** Few causes make up nearly all failures of a moment. */
const TOLD_REASONS = 3;
/** Reasons with the same beginning are one: the rest often names the request. */
const COMPARED_CHARACTERS = 120;
/** The ledger keeps how long an item is to wait, and not why: of another coordinator's items the reason is not known. */
const UNKNOWN: WaitCause = { key: 'unknown', reason: 'an earlier attempt failed or was throttled' };
/** The items are counted so often for events; a status counts them when it is asked for. */
const LOOK_EVERY_MS = 1_000;
/** To count so many items takes well below a millisecond. */
const ALWAYS_COUNTED_ITEMS = 1_000;
/** A count of more items is used for a millisecond per so many of them, so that counting never takes more than about a hundredth of the time. */
const COUNTED_ITEMS_PER_MS = 10;
/** Where more causes than this differ, sharing them saves nothing. */
const MAX_SHARED_CAUSES = 1_024;

/** An attempt has failed, and the item is tried again. */
export function noteFailure(state: State, item: Item, { code, line }: Outcome): void {
  const told = parseOutputLine(line)?.error?.message ?? '';
  noteWhy(item, sharedCause(state, oneLine(told === '' ? code : `${code}: ${told}`)));
}

/** An item came back uncounted; the reason is kept if it was the server. */
export function noteReturned(state: State, item: Item, { reason, detail }: ItemReturn): void {
  if (reason === 'throttled')
    noteWhy(item, sharedCause(state, detail === '' ? 'throttled: the server said that it is busy (429 or 503)' : detail));
  if ((reason === 'unavailable' || reason === 'refused') && detail !== '') noteWhy(item, sharedCause(state, detail));
}

/** The commonest reasons first. */
export function waitsOf(state: State, nowMs: number): readonly WaitReason[] {
  return countedNow(state, nowMs).map(({ reason, items, dueAtMs }) => ({
    ...{ reason, items },
    nextTryMs: dueAtMs === null ? null : Math.max(0, Math.round(dueAtMs - nowMs)),
  }));
}

/** Called at each scan: the commonest reason becomes an event, at once where it is new and then with growing gaps. */
export function tellWaits(state: State): void {
  if (state.nowMs - state.waits.lookedAtMs < LOOK_EVERY_MS) return;
  state.waits.lookedAtMs = state.nowMs;
  const [commonest] = waitsOf(state, state.nowMs);
  if (commonest === undefined || !isDue(state, keyOf(commonest.reason))) return;
  command(state, { kind: 'emit', event: { kind: 'items_wait', ...commonest } });
}

/** A beat gave a reason why its worker takes no items. */
export function tellWorkerWaits(state: State, { id, detail }: Worker): void {
  if (detail === '' || !isDue(state, `${id} ${keyOf(detail)}`)) return;
  command(state, { kind: 'emit', event: { kind: 'worker_waits', workerId: id, reason: detail } });
}

function isDue({ waits, nowMs }: State, key: string): boolean {
  const { throttle, isDue: isNow } = onReason(waits.told, nowMs, key);
  waits.told = throttle;
  return isNow;
}

/** The last count, or a new one where that is too old for the number of items. */
function countedNow({ waits, items }: State, nowMs: number): readonly WaitGroup[] {
  const validMs = items.size <= ALWAYS_COUNTED_ITEMS ? 0 : items.size / COUNTED_ITEMS_PER_MS;
  if (nowMs - waits.countedAtMs < validMs) return waits.counted;
  const groups = groupsOf(items, nowMs);
  for (const key of waits.causes.keys()) if (!groups.has(key)) waits.causes.delete(key);
  waits.countedAtMs = nowMs;
  waits.counted = [...groups.values()].toSorted((a, b) => b.items - a.items).slice(0, TOLD_REASONS);
  return waits.counted;
}

function groupsOf(items: State['items'], nowMs: number): ReadonlyMap<string, WaitGroup> {
  const groups = new Map<string, WaitGroup>();
  for (const { why, rows, dueAtMs } of items.withHistory()) {
    const cause = why ?? (rows.length === 0 && dueAtMs > nowMs ? UNKNOWN : null);
    if (cause === null) continue;
    const group = groups.get(cause.key) ?? { reason: cause.reason, items: 0, dueAtMs: null };
    group.items += 1;
    if (rows.length === 0) group.dueAtMs = Math.min(group.dueAtMs ?? dueAtMs, dueAtMs);
    groups.set(cause.key, group);
  }
  return groups;
}

function sharedCause({ waits: { causes } }: State, reason: string): WaitCause {
  const key = keyOf(reason);
  const known = causes.get(key);
  if (known !== undefined) return known;
  const cause = { key, reason };
  if (causes.size < MAX_SHARED_CAUSES) causes.set(key, cause);
  return cause;
}

/** Numbers in it change from answer to answer. */
export function keyOf(reason: string): string {
  return reason.slice(0, COMPARED_CHARACTERS).replace(/\d+/g, '#');
}
