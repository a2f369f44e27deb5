import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Epoch } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { Faults, Fenced, Gone, HandBack, HandBackReason, HandBackReply } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';

/** Which reasons count against an item's attempts. A drain, an outage or a lost machine is not the item's fault. */
const IS_FAILURE: Readonly<Record<HandBackReason, boolean>> = {
  failed: true,
  drained: false,
  unavailable: false,
  throttled: false,
  lost: false,
  quota: false,
};

/** Takes items from their rows, each named in full (L12); the row stays with the item until it is claimed again (L15). */
export function handBack(rows: Rows, epoch: Epoch, returns: readonly HandBack[]): Decision<HandBackReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<HandBackReply | Gone> => {
    const gone = goneFor('write', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = returns.map((one) => handBackOne(draft, one));
    return draft.decide({ kind: 'returned', verdicts });
  });
}

function handBackOne(draft: Draft, { index, row, reason, delayMs }: HandBack): HandBackReply['verdicts'][number] {
  const item = draft.item(index);
  if (item.state !== 'running' && item.state !== 'handed-back') return { kind: 'refused', found: draft.found(index) };
  if (!isSameRow(item.row, row)) return { kind: 'refused', found: draft.found(index) };
  // Asked again after a lost reply: it counts once.
  if (item.state === 'handed-back') return { kind: 'returned', faults: item.faults };
  const faults = grown(item.faults, reason, delayMs);
  draft.put(index, { state: 'handed-back', row: item.row, faults });
  return { kind: 'returned', faults };
}

function grown(before: Faults, reason: HandBackReason, delayMs: number): Faults {
  const failures = before.failures + (IS_FAILURE[reason] ? 1 : 0);
  assert(isU32(failures), 'a failure count fits in 32 bits');
  assert(isU32(delayMs), 'a delay is a whole number of milliseconds in 32 bits');
  return { failures, delayMs };
}
