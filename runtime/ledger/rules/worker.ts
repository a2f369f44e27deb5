import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Epoch, WorkerId } from '../../model/row.ts';
import { COORDINATOR_WORKER } from '../../model/row.ts';
import type { Fenced, WorkerInfo } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { underEpoch } from './draft.ts';

/** The coordinator's own number; every registered worker's is higher. */
export const COORDINATOR_NUMBER = 0;

export function register(rows: Rows, epoch: Epoch, worker: WorkerId, info: WorkerInfo): Decision<{ readonly kind: 'registered' } | Fenced> {
  assert(worker !== COORDINATOR_WORKER, 'the coordinator is known without registration');
  return underEpoch(rows, epoch, (head) => {
    const known = rows.worker(worker);
    if (known !== null) return { reply: { kind: 'registered' }, writes: { worker: { worker, row: { number: known.number, info } } } };
    const number = head.workerNumbers + 1;
    assert(isU32(number), 'a worker number fits in 32 bits (L9)');
    return {
      reply: { kind: 'registered' },
      writes: { head: { ...head, workerNumbers: number }, worker: { worker, row: { number, info } } },
    };
  });
}

/** Only a worker that is may be given a row; the coordinator always is (L31). */
export function isRegistered(rows: Rows, worker: WorkerId): boolean {
  if (worker === COORDINATOR_WORKER) return true;
  const known = rows.worker(worker);
  return known !== null && known.info !== null;
}

/** The number stays taken: a row that still names it keeps its meaning (L9). */
export function forget(rows: Rows, epoch: Epoch, worker: WorkerId): Decision<{ readonly kind: 'forgotten' } | Fenced> {
  return underEpoch(rows, epoch, () => {
    const known = rows.worker(worker);
    if (known === null || known.info === null) return { reply: { kind: 'forgotten' }, writes: null };
    return { reply: { kind: 'forgotten' }, writes: { worker: { worker, row: { number: known.number, info: null } } } };
  });
}
