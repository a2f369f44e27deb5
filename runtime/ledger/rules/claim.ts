import { assert } from '../../base/assert.ts';
import type { ItemIndex, WorkerId } from '../../model/row.ts';
import { MAX_INDEX } from '../../model/row.ts';
import type { Claim, Claimed, Found, Granted, IndexPick, Pick } from '../contract.ts';
import { nextAttempt } from './attempts.ts';
import type { Draft } from './draft.ts';
import { isRegistered } from './worker.ts';

type CursorPick = Extract<Pick, { readonly cursor: ItemIndex }>;

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
export function claimOne(draft: Draft, { worker, picks }: Claim): Claimed {
  const claiming: Claiming = { draft, worker, isRegistered: isRegistered(draft.rows, worker), granted: [], found: [] };
  for (const pick of picks) {
    if ('cursor' in pick) claimFresh(claiming, pick);
    else claimHandedBack(claiming, pick);
  }
  return { kind: 'claimed', granted: claiming.granted, found: claiming.found, cursor: draft.cursor };
}

function claimFresh(claiming: Claiming, pick: CursorPick): void {
  assert(Number.isInteger(pick.count) && pick.count >= 0 && pick.cursor + pick.count <= MAX_INDEX + 1, 'a claim beyond 32 bits');
  const { draft, worker, granted, found } = claiming;
  if (pick.cursor !== draft.cursor || !claiming.isRegistered) {
    const end = Math.min(pick.cursor + pick.count, draft.cursor);
    for (let index = pick.cursor; index < end; index += 1) found.push(draft.found(index));
    return;
  }
  if (pick.count === 0) return;
  const attempt = nextAttempt(0);
  granted.push({ from: pick.cursor, count: pick.count, attempt });
  draft.grantFresh(pick.count, { worker, attempt, claimEpoch: draft.epoch });
}

function claimHandedBack(claiming: Claiming, pick: IndexPick): void {
  const { draft, worker, granted, found } = claiming;
  const item = draft.item(pick.index);
  if (item.state !== 'handed-back' || item.lastAttempt !== pick.lastAttempt || !claiming.isRegistered) {
    found.push(draft.found(pick.index));
    return;
  }
  const attempt = nextAttempt(item.lastAttempt);
  const row = { worker, attempt, claimEpoch: draft.epoch };
  draft.put(pick.index, { state: 'running', row, second: null, lastAttempt: attempt, faults: item.faults });
  if (pick.isRedone === true) draft.countRedone();
  granted.push({ from: pick.index, count: 1, attempt });
}
