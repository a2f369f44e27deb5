import type { Epoch, Row } from '../../model/row.ts';
import type { Fenced, Gone, Move, ReassignReply } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { hasRow, isOwner, nextAttempt, replaceRow } from './attempts.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';
import { isRegistered } from './worker.ts';

/**
 * Gives rows to other workers, each by a compare-and-swap of the row that is named in full (L12): its owner may not settle it any
 * more, its new one has the next attempt (L9). Whether the item was started is for the coordinator to know, who has its owner
 * confirm first (L32); the ledger sees to it that of a settlement and a move of the same row exactly one happens.
 */
export function reassign(rows: Rows, epoch: Epoch, moves: readonly Move[]): Decision<ReassignReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<ReassignReply | Gone> => {
    const gone = goneFor('claim', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = moves.map((move) => moveOne(draft, move));
    return draft.decide({ kind: 'reassigned', verdicts });
  });
}

function moveOne(draft: Draft, { index, row, to }: Move): ReassignReply['verdicts'][number] {
  const item = draft.item(index);
  if (item.state !== 'running') return { kind: 'refused', found: draft.found(index) };
  if (hasRow(item, row)) {
    if (isOwner(item, to) || !isRegistered(draft.rows, to)) return { kind: 'refused', found: draft.found(index) };
    const moved: Row = { worker: to, attempt: nextAttempt(item.lastAttempt), claimEpoch: draft.epoch };
    draft.put(index, replaceRow(item, row, moved));
    return { kind: 'moved', attempt: moved.attempt };
  }
  // Asked again after a lost reply: the row that this move wrote is there, and no attempt came after it.
  const asMoved: Row = { worker: to, attempt: item.lastAttempt, claimEpoch: draft.epoch };
  return hasRow(item, asMoved) ? { kind: 'moved', attempt: item.lastAttempt } : { kind: 'refused', found: draft.found(index) };
}
