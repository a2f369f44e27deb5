import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Attempt, Epoch, ItemIndex, WorkerId } from '../../model/row.ts';
import { COORDINATOR_WORKER, MAX_INDEX } from '../../model/row.ts';
import type { ClaimReply, Faults, Fenced, Found, Gone, Pick } from '../contract.ts';
import { NO_FAULTS } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { Draft, goneFor, underEpoch } from './draft.ts';

type Granted = ClaimReply['granted'][number];
type CursorPick = Extract<Pick, { readonly cursor: ItemIndex }>;
type IndexPick = Extract<Pick, { readonly index: ItemIndex }>;

interface Claiming {
  readonly draft: Draft;
  readonly worker: WorkerId;
  readonly isRegistered: boolean;
  readonly granted: Granted[];
  readonly found: Found[];
}

/**
 * Grants each pick only where the item is exactly as the pick expects it (L8); a refused pick writes nothing (L7). Nothing is
 * granted to a worker that is not registered (L31): a claim asked again after its worker was failed only finds what stands there.
 */
export function claim(rows: Rows, epoch: Epoch, worker: WorkerId, picks: readonly Pick[]): Decision<ClaimReply | Gone | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<ClaimReply | Gone> => {
    const gone = goneFor('claim', rows.state());
    if (gone !== null) return { reply: gone, writes: null };
    assert(rows.place() !== null, 'a claim before the results place is bound (L22)');
    const claiming: Claiming = { draft: new Draft(rows, head), worker, isRegistered: isRegistered(rows, worker), granted: [], found: [] };
    for (const pick of picks) {
      if ('cursor' in pick) claimFresh(claiming, pick);
      else claimHandedBack(claiming, pick);
    }
    const { draft, granted, found } = claiming;
    return draft.decide({ kind: 'claimed', granted, found, cursor: draft.cursor });
  });
}

function isRegistered(rows: Rows, worker: WorkerId): boolean {
  if (worker === COORDINATOR_WORKER) return true;
  const known = rows.worker(worker);
  return known !== null && known.info !== null;
}

function claimFresh(claiming: Claiming, pick: CursorPick): void {
  assert(Number.isInteger(pick.count) && pick.count >= 0 && pick.cursor + pick.count <= MAX_INDEX + 1, 'a claim beyond 32 bits');
  const { draft, found } = claiming;
  if (pick.cursor !== draft.cursor || !claiming.isRegistered) {
    const end = Math.min(pick.cursor + pick.count, draft.cursor);
    for (let index = pick.cursor; index < end; index += 1) found.push(draft.found(index));
    return;
  }
  for (let n = 0; n < pick.count; n += 1) grant(claiming, draft.cursor, 1, NO_FAULTS);
}

function claimHandedBack(claiming: Claiming, pick: IndexPick): void {
  const { draft, found } = claiming;
  const item = draft.item(pick.index);
  if (item.state !== 'handed-back' || item.row.attempt !== pick.lastAttempt || !claiming.isRegistered) {
    found.push(draft.found(pick.index));
    return;
  }
  grant(claiming, pick.index, item.row.attempt + 1, item.faults);
}

function grant({ draft, worker, granted }: Claiming, index: ItemIndex, attempt: Attempt, faults: Faults): void {
  assert(isU32(attempt), 'an attempt number fits in 32 bits (L9)');
  draft.put(index, { state: 'running', row: { worker, attempt, claimEpoch: draft.epoch }, faults });
  granted.push({ index, attempt });
}
