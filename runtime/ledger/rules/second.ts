import type { Epoch, Row, WorkerId } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { Fenced, Gone, NamedRow, SecondAttemptReply } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { nextAttempt } from './attempts.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';
import { isRegistered } from './worker.ts';

/** Adds a row for this worker beside the only row of a running item, which is named in full; both may settle it (L13). */
export function second(
  rows: Rows,
  epoch: Epoch,
  worker: WorkerId,
  named: readonly NamedRow[],
): Decision<SecondAttemptReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<SecondAttemptReply | Gone> => {
    const gone = goneFor('claim', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = named.map((one) => secondOne(draft, worker, one));
    return draft.decide({ kind: 'second-attempts', verdicts });
  });
}

function secondOne(draft: Draft, worker: WorkerId, { index, row }: NamedRow): SecondAttemptReply['verdicts'][number] {
  const item = draft.item(index);
  if (item.state !== 'running' || !isSameRow(item.row, row)) return { kind: 'refused', found: draft.found(index) };
  if (item.second !== null) {
    // Asked again after a lost reply: the second row is the one that this request wrote.
    const asGranted: Row = { worker, attempt: item.lastAttempt, claimEpoch: draft.epoch };
    if (isSameRow(item.second, asGranted)) return { kind: 'granted', attempt: item.lastAttempt };
    return { kind: 'refused', found: draft.found(index) };
  }
  if (item.row.worker === worker || !isRegistered(draft.rows, worker)) return { kind: 'refused', found: draft.found(index) };
  const attempt = nextAttempt(item.lastAttempt);
  draft.put(index, { ...item, second: { worker, attempt, claimEpoch: draft.epoch }, lastAttempt: attempt });
  return { kind: 'granted', attempt };
}
