import type { Epoch, Row } from '../../model/row.ts';
import { COORDINATOR_WORKER, isSameRow } from '../../model/row.ts';
import type { Fenced, NamedRow, Settlement, SettleVerdict, Verdict } from '../contract.ts';
import type { Decision, ItemState, Rows } from '../rows.ts';
import { hasRow } from './attempts.ts';
import { Draft, underEpoch } from './draft.ts';

/** Sets the bit of an item that this row may settle, and removes its row, or both (L10, L11, L13, L15). */
export function settleOne(draft: Draft, { index, row, isResult }: Settlement): SettleVerdict {
  const item = draft.item(index);
  const verdict = judge(item, row);
  if (verdict !== 'live') return verdict;
  draft.replace(index, item, isResult ? DONE : FAILED);
  draft.accept(index, row.attempt);
  return 'accepted';
}

const DONE = { state: 'done' } as const;
const FAILED = { state: 'failed' } as const;

/** Read-only: may these attempts still settle (L29)? */
export function look(rows: Rows, epoch: Epoch, named: readonly NamedRow[]): Decision<{ kind: 'looked'; verdicts: Verdict[] } | Fenced> {
  return underEpoch(rows, epoch, (head) => {
    const draft = new Draft(rows, head);
    return draft.decide({ kind: 'looked', verdicts: named.map(({ index, row }) => judge(draft.item(index), row)) });
  });
}

function judge(item: ItemState, claimant: Row): Verdict {
  switch (item.state) {
    case 'done':
    case 'failed':
      return 'recorded';
    case 'fresh':
      return 'stale';
    case 'running':
      return hasRow(item, claimant) ? 'live' : 'stale';
    case 'handed-back':
      return isSameRow(item.row, asTaken(claimant, item.row)) ? 'live' : 'stale';
  }
}

/** The coordinator may record a handed-back item in place of the worker that it was taken from (L15). */
function asTaken(claimant: Row, taken: Row): Row {
  return claimant.worker === COORDINATOR_WORKER ? { ...claimant, worker: taken.worker } : claimant;
}
