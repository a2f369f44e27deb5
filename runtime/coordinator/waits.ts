import { onReason } from '../base/repeats.ts';
import { oneLine } from '../model/detail.ts';
import type { ItemReturn, Outcome } from '../model/session.ts';
import type { WaitReason } from '../model/status.ts';
import { parseOutputLine } from '../results/output-line.ts';
import { command } from './mirror.ts';
import type { Item, State, Worker } from './state.ts';

/** Why items wait: the code and the words of the failure or refusal with which the last attempt of each ended. */

/** Few causes make up nearly all failures of a moment. */
const TOLD_REASONS = 3;
/** Reasons with the same beginning are one: the rest often names the request. */
const COMPARED_CHARACTERS = 120;
/** The ledger keeps how long an item is to wait, and not why. */
const UNKNOWN = 'an attempt under an earlier coordinator failed or was throttled';
/** The items are counted so often for events; a status counts them when it is asked for. */
const LOOK_EVERY_MS = 1_000;

/** An attempt has failed, and the item is tried again. */
export function noteFailure(item: Item, { code, line }: Outcome): void {
  const told = parseOutputLine(line)?.error?.message ?? '';
  item.why = oneLine(told === '' ? code : `${code}: ${told}`);
}

/** An item came back uncounted; the reason is kept if it was the server. */
export function noteReturned(item: Item, { reason, detail }: ItemReturn): void {
  if (reason === 'throttled') item.why = detail === '' ? 'throttled: the server said that it is busy (429 or 503)' : detail;
  if (reason === 'unavailable' && detail !== '') item.why = detail;
}

/** The commonest reasons first. */
export function waitsOf({ items }: State, nowMs: number): readonly WaitReason[] {
  const groups = new Map<string, { reason: string; items: number; dueAtMs: number | null }>();
  for (const { why, rows, dueAtMs } of items.values()) {
    const reason = why ?? (rows.length === 0 && dueAtMs > nowMs ? UNKNOWN : null);
    if (reason === null) continue;
    const key = keyOf(reason);
    const group = groups.get(key) ?? { reason, items: 0, dueAtMs: null };
    group.items += 1;
    if (rows.length === 0) group.dueAtMs = Math.min(group.dueAtMs ?? dueAtMs, dueAtMs);
    groups.set(key, group);
  }
  return [...groups.values()]
    .toSorted((a, b) => b.items - a.items)
    .slice(0, TOLD_REASONS)
    .map(({ reason, items: count, dueAtMs }) => ({
      ...{ reason, items: count },
      nextTryMs: dueAtMs === null ? null : Math.max(0, Math.round(dueAtMs - nowMs)),
    }));
}

/** Called at each scan: the commonest reason becomes an event, at once where it is new and then with growing gaps. */
export function tellWaits(state: State): void {
  if (state.nowMs - state.lastWaitsMs < LOOK_EVERY_MS) return;
  state.lastWaitsMs = state.nowMs;
  const [commonest] = waitsOf(state, state.nowMs);
  if (commonest === undefined || !isDue(state, keyOf(commonest.reason))) return;
  command(state, { kind: 'emit', event: { kind: 'items_wait', ...commonest } });
}

/** A beat gave a reason why its worker takes no items. */
export function tellWorkerWaits(state: State, { id, detail }: Worker): void {
  if (detail === '' || !isDue(state, `${id} ${keyOf(detail)}`)) return;
  command(state, { kind: 'emit', event: { kind: 'worker_waits', workerId: id, reason: detail } });
}

function isDue(state: State, key: string): boolean {
  const { repeats, isDue: isNow } = onReason(state.toldWaits, key, state.nowMs);
  state.toldWaits = repeats;
  return isNow;
}

/** Numbers in it change from answer to answer. */
export function keyOf(reason: string): string {
  return reason.slice(0, COMPARED_CHARACTERS).replace(/\d+/g, '#');
}
