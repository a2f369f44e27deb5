import type { Epoch, Row, WorkerId } from '../../model/row.ts';
import { COORDINATOR_WORKER, isSameRow } from '../../model/row.ts';
import type { Fenced, Gone, NamedRow, Settlement, SettleReply, SettleVerdict, Verdict } from '../contract.ts';
import type { Decision, ItemState, Rows } from '../rows.ts';
import { hasRow } from './attempts.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';

/** Sets the bit of every item that this worker's attempt may settle, and removes its row, or both (L10, L11, L13, L15). */
export function settle(rows: Rows, epoch: Epoch, worker: WorkerId, outcomes: readonly Settlement[]): Decision<SettleReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<SettleReply | Gone> => {
    const gone = goneFor('write', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    const draft = new Draft(rows, head);
    const verdicts = outcomes.map((outcome) => settleOne(draft, worker, outcome));
    return draft.decide({ kind: 'settled', verdicts });
  });
}

function settleOne(draft: Draft, worker: WorkerId, outcome: Settlement): SettleVerdict {
  const verdict = judge(draft.item(outcome.index), { worker, attempt: outcome.attempt, claimEpoch: outcome.claimEpoch });
  if (verdict !== 'live') return verdict;
  draft.put(outcome.index, { state: outcome.isResult ? 'done' : 'failed' });
  draft.accept(outcome);
  return 'accepted';
}

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
