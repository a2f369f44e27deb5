import type { Epoch } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { CountedRow, Fenced, Gone, RestoreReply } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { hasRow } from './attempts.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';
import { isRegistered } from './worker.ts';

/**
 * Gives handed-back items back to the rows that were taken from them last, each named in full (L44). Until the item is claimed again
 * that row may settle anyhow (L15), so a restored row keeps its attempt. Nothing is restored for a worker that is not registered (L31).
 */
export function restore(rows: Rows, epoch: Epoch, named: readonly CountedRow[]): Decision<RestoreReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<RestoreReply | Gone> => {
    const gone = goneFor('write', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = named.map((one) => restoreOne(draft, one));
    return draft.decide({ kind: 'restored', verdicts });
  });
}

function restoreOne(draft: Draft, { index, row, restores }: CountedRow): RestoreReply['verdicts'][number] {
  const item = draft.item(index);
  // Asked again after a lost reply.
  if (item.state === 'running' && hasRow(item, row) && item.faults.restores === restores + 1) return { kind: 'restored' };
  const isTaken = item.state === 'handed-back' && isSameRow(item.row, row) && item.faults.restores === restores;
  if (!isTaken || !isRegistered(draft.rows, row.worker)) return { kind: 'refused', found: draft.found(index) };
  const { lastAttempt, faults } = item;
  draft.put(index, { state: 'running', row, second: null, lastAttempt, faults: { ...faults, restores: restores + 1 } });
  return { kind: 'restored' };
}
