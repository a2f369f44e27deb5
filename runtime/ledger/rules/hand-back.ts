import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Row } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { Faults, HandBack, HandBackReason, HandBackVerdict, Returned } from '../contract.ts';
import { hasRow, otherRow } from './attempts.ts';
import type { Draft } from './draft.ts';

type Counter = 'failures' | 'suspicions' | 'crashes';

/** What a reason is counted as (L14). A drain, an outage or a lost machine is not the item's fault. */
export const COUNTED_AS: Readonly<Record<HandBackReason, Counter | null>> = {
  failed: 'failures',
  suspected: 'suspicions',
  crashed: 'crashes',
  drained: null,
  unavailable: null,
  throttled: null,
  lost: null,
  quota: null,
  recalled: null,
};

/**
 * Takes an item from its row, which is named in full (L12). Where a second attempt runs, it runs on (L13); otherwise the row stays with
 * the item until it is claimed again (L15).
 */
export function handBackOne(draft: Draft, { index, row, restores, reason, delayMs }: HandBack): HandBackVerdict {
  const item = draft.item(index);
  // Asked again after a lost reply: it counts once.
  if (item.state === 'handed-back' && isSameRow(item.row, row) && item.faults.restores === restores) return returned(item, null);
  if (item.state !== 'running' || !hasRow(item, row) || item.faults.restores !== restores)
    return { kind: 'refused', found: draft.found(index) };
  const { lastAttempt } = item;
  const faults = grown(item.faults, reason, delayMs);
  const other = otherRow(item, row);
  if (other === null) draft.put(index, { state: 'handed-back', row: item.row, lastAttempt, faults });
  else draft.put(index, { state: 'running', row: other, second: null, lastAttempt, faults });
  return returned({ lastAttempt, faults }, other);
}

function returned({ faults, lastAttempt }: Pick<Returned, 'faults' | 'lastAttempt'>, other: Row | null): Returned {
  return { kind: 'returned', faults, lastAttempt, other };
}

function grown(before: Faults, reason: HandBackReason, delayMs: number): Faults {
  assert(isU32(delayMs), 'a delay is a whole number of milliseconds in 32 bits');
  const counter = COUNTED_AS[reason];
  if (counter === null) return { ...before, delayMs };
  const count = before[counter] + 1;
  assert(isU32(count), 'a count of faults fits in 32 bits');
  return { ...before, delayMs, [counter]: count };
}
