import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Stamp, WorkerId } from '../../model/row.ts';
import { COORDINATOR_WORKER } from '../../model/row.ts';
import type { Fenced, Overtaken, WorkerInfo } from '../contract.ts';
import type { Decision, Rows } from '../rows.ts';
import { underEpoch } from './draft.ts';
import { OVERTAKEN, orderOf } from './order.ts';

interface Registered {
  readonly kind: 'registered';
}

interface Forgotten {
  readonly kind: 'forgotten';
}

/** The coordinator's own number; every registered worker's is higher. */
export const COORDINATOR_NUMBER = 0;

export function register(rows: Rows, by: Stamp, worker: WorkerId, info: WorkerInfo): Decision<Registered | Overtaken | Fenced> {
  assert(worker !== COORDINATOR_WORKER, 'the coordinator is known without registration');
  return underEpoch(rows, by.epoch, (head): Decision<Registered | Overtaken> => {
    const known = rows.worker(worker);
    const order = orderOf(known?.by ?? null, by);
    if (order !== 'new') return { reply: order === 'repeated' ? { kind: 'registered' } : OVERTAKEN, writes: null };
    if (known !== null) return { reply: { kind: 'registered' }, writes: { worker: { worker, row: { number: known.number, info, by } } } };
    const number = head.workerNumbers + 1;
    assert(isU32(number), 'a worker number fits in 32 bits (L9)');
    return {
      reply: { kind: 'registered' },
      writes: { head: { ...head, workerNumbers: number }, worker: { worker, row: { number, info, by } } },
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
export function forget(rows: Rows, by: Stamp, worker: WorkerId): Decision<Forgotten | Overtaken | Fenced> {
  return underEpoch(rows, by.epoch, (): Decision<Forgotten | Overtaken> => {
    const known = rows.worker(worker);
    if (known === null) return { reply: { kind: 'forgotten' }, writes: null };
    const order = orderOf(known.by, by);
    if (order !== 'new') return { reply: order === 'repeated' ? { kind: 'forgotten' } : OVERTAKEN, writes: null };
    return { reply: { kind: 'forgotten' }, writes: { worker: { worker, row: { number: known.number, info: null, by } } } };
  });
}
