import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createFencing, type Fencing } from '../../../../runtime/coordinator/shutdown/fencing.ts';
import type { LeaseHolder } from '../../../../runtime/lease/contract.ts';
import type { Fenced } from '../../../../runtime/ledger/contract.ts';
import { settlePromises } from '../../../support/manual-clock.ts';

/** A fencing, and what it did, in order. */
function bench(): { readonly fencing: Fencing; readonly done: string[] } {
  const done: string[] = [];
  const fencing = createFencing({
    watchdog: { arm: () => void done.push('armed') },
    events: { emit: (event) => void done.push(JSON.stringify(event)), close: async () => undefined },
    log: silentLog,
    onFenced: () => void done.push('told'),
  });
  return { fencing, done };
}

function keeperThatLoses(lost: Promise<Fenced>): LeaseHolder {
  return { lease: () => ({ epoch: 3 }), lost } as unknown as LeaseHolder;
}

const ONCE = ['armed', '{"kind":"coordinator_fenced","epoch":3,"byEpoch":4}', 'told'];

test('L5: the watchdog is armed before anything else, then it is said, at once', (t) => {
  const { fencing, done } = bench();
  t.false(fencing.isFenced());
  fencing.fence(3, 4);
  t.deepEqual(done, ONCE);
  t.true(fencing.isFenced());
});

test('L5: it is said once where the lease holder and a verb find out together, whoever is first', async (t) => {
  for (const isKeeperFirst of [true, false]) {
    const { fencing, done } = bench();
    let lose: (fenced: Fenced) => void = () => undefined;
    fencing.watch(keeperThatLoses(new Promise((resolve) => (lose = resolve))));
    if (isKeeperFirst) lose({ kind: 'fenced', epoch: 4 });
    else fencing.fence(3, 4);
    await settlePromises();
    if (isKeeperFirst) fencing.fence(3, 5);
    else lose({ kind: 'fenced', epoch: 5 });
    await settlePromises();
    t.deepEqual(done, ONCE);
  }
});

test('who waits for the fencing hears of it', async (t) => {
  const { fencing } = bench();
  fencing.fence(3, 4);
  await t.notThrowsAsync(fencing.fenced);
});

test('L42: nobody is fenced by an epoch that is not later than his own', (t) => {
  for (const byEpoch of [3, 2, -1]) {
    const { fencing, done } = bench();
    t.throws(() => fencing.fence(3, byEpoch), { instanceOf: AssertionFailed });
    t.deepEqual(done, []);
    t.false(fencing.isFenced());
  }
});
