import { assert } from '../../base/assert.ts';
import type { Epoch } from '../../model/row.ts';
import type { CommitRequest, Committed, Fenced, Gone } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { claimOne } from './claim.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';
import { handBackOne } from './hand-back.ts';
import { settleOne } from './settle.ts';

/**
 * Settlements, hand-backs and claims in one transaction, judged in this order, each on top of those before it. A verdict is given to
 * each: what is refused writes nothing, and keeps nothing else from being written (L7).
 */
export function commit(rows: Rows, epoch: Epoch, { settles, handBacks, claims }: CommitRequest): Decision<Committed | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<Committed | Gone> => {
    const state = rows.state();
    const gone = goneFor('write', state);
    if (gone !== null) return { reply: gone, writes: null };
    assert(claims.length === 0 || rows.place() !== null, 'a claim before the results place is bound (L22)');
    const draft = new Draft(rows, head);
    const settled = settles.map((one) => settleOne(draft, one));
    const handedBack = handBacks.map((one) => handBackOne(draft, one));
    const paused = goneFor('claim', state);
    const claimed = claims.map((one) => paused ?? claimOne(draft, one));
    return draft.decide({ kind: 'committed', settled, handedBack, claimed });
  });
}
