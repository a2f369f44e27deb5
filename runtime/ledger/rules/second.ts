import type { Epoch, Row, WorkerId } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { Fenced, Gone, SecondAttemptReply, SoleRow } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { nextAttempt } from './attempts.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';
import { isRegistered } from './worker.ts';

/**
 * Adds a row for this worker beside the only row of a running item; both may settle it (L13). Row and last attempt are named: a request
 * that is carried out again after the second row has gone finds a higher last attempt, and gives no third (L38).
 */
export function second(
  rows: Rows,
  epoch: Epoch,
  worker: WorkerId,
  named: readonly SoleRow[],
): Decision<SecondAttemptReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<SecondAttemptReply | Gone> => {
    const gone = goneFor('claim', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = named.map((one) => secondOne(draft, worker, one));
    return draft.decide({ kind: 'second-attempts', verdicts });
  });
}

function secondOne(draft: Draft, worker: WorkerId, { index, row, lastAttempt }: SoleRow): SecondAttemptReply['verdicts'][number] {
  const item = draft.item(index);
  const refused = { kind: 'refused', found: draft.found(index) } as const;
  if (item.state !== 'running' || !isSameRow(item.row, row)) return refused;
  const attempt = nextAttempt(lastAttempt);
  const second: Row = { worker, attempt, claimEpoch: draft.epoch };
  // Asked again after a lost reply: the second row is the one that this request wrote.
  if (item.second !== null) return isSameRow(item.second, second) ? { kind: 'granted', attempt } : refused;
  const isFree = item.row.worker !== worker && isRegistered(draft.rows, worker);
  if (!isFree || item.lastAttempt !== lastAttempt) return refused;
  draft.put(index, { ...item, second, lastAttempt: attempt });
  return { kind: 'granted', attempt };
}
