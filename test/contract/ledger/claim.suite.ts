import type { TestFn } from 'ava';
import { NO_FAULTS } from '../../../runtime/ledger/contract.ts';
import { COORDINATOR_WORKER } from '../../../runtime/model/row.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { back, claimed, type Open, outcome, row, scanned, start, win } from '../../support/ledger-start.ts';

const RUNNING = { state: 'running', row: row('w1'), second: null, lastAttempt: 1, faults: NO_FAULTS } as const;

export function claimSuite(test: TestFn, open: Open): void {
  test('L8: a cursor pick grants fresh items in order, attempt 1 under the caller’s epoch', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    t.deepEqual(await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]), {
      kind: 'claimed',
      granted: [{ from: 0, count: 2, attempt: 1 }],
      found: [],
      cursor: 2,
    });
    t.deepEqual(
      (await scanned(ledger, 0)).running.map((item) => item.row),
      [row('w1'), row('w1')],
    );
  });

  test('L8: the claim after a lost reply finds what the lost one wrote', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    const again = await claimed(ledger, 0, 'w2', [{ cursor: 0, count: 4 }]);
    t.deepEqual(again, {
      kind: 'claimed',
      granted: [],
      found: [
        { ...RUNNING, index: 0 },
        { ...RUNNING, index: 1 },
      ],
      cursor: 2,
    });
  });

  test('an item that runs again is counted where its claim says that it had begun, once, and under every later epoch', async (t) => {
    const ledger = await open(t);
    const lease = await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'lost'), back(1, row('w1'), 'recalled'), back(2, row('w1'), 'drained')]);
    t.is((await ledger.progress()).redone, 0, 'what was handed back does not run again yet');
    const picks = [
      { index: 0, lastAttempt: 1, isRedone: true },
      { index: 1, lastAttempt: 1 },
      { index: 2, lastAttempt: 7, isRedone: true },
    ] as const;
    await claimed(ledger, 0, 'w1', picks);
    t.is((await ledger.progress()).redone, 1, 'neither one that had not begun, nor a pick that is refused');
    await claimed(ledger, 0, 'w1', picks);
    t.is((await scanned(ledger, 0)).progress.redone, 1, 'a claim that is asked again counts nothing');
    await ledger.release(lease);
    const { epoch } = await win(ledger, 'next');
    t.is((await scanned(ledger, epoch)).progress.redone, 1);
  });

  test('L8: a cursor pick ahead of the cursor grants nothing and says where the cursor is', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    t.deepEqual(await claimed(ledger, 0, 'w1', [{ cursor: 5, count: 2 }]), { kind: 'claimed', granted: [], found: [], cursor: 0 });
  });

  test('L8: a pick by index needs the item handed back with exactly that last attempt', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'failed')]);
    await settle(ledger, 0, 'w1', [outcome(2)]);
    const faults = { ...NO_FAULTS, failures: 1 };
    const reply = await claimed(ledger, 0, 'w2', [
      { index: 0, lastAttempt: 0 },
      { index: 1, lastAttempt: 1 },
      { index: 2, lastAttempt: 1 },
      { index: 3, lastAttempt: 0 },
      { index: 0, lastAttempt: 1 },
      { index: 0, lastAttempt: 1 },
    ]);
    t.deepEqual(reply.granted, [{ from: 0, count: 1, attempt: 2 }]);
    t.deepEqual(reply.found, [
      { index: 0, state: 'handed-back', row: row('w1'), lastAttempt: 1, faults },
      { ...RUNNING, index: 1 },
      { index: 2, state: 'done' },
      { index: 3, state: 'fresh' },
      { index: 0, state: 'running', row: row('w2', 2), second: null, lastAttempt: 2, faults },
    ]);
  });

  test('L8: picks of one claim follow one another', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    const reply = await claimed(ledger, 0, 'w1', [
      { cursor: 0, count: 1 },
      { cursor: 1, count: 1 },
      { cursor: 1, count: 1 },
    ]);
    t.is(reply.cursor, 2);
    t.deepEqual(
      reply.granted.map(({ from }) => from),
      [0, 1],
    );
    t.deepEqual(
      reply.found.map((item) => item.index),
      [1],
    );
  });

  test('L9: attempts grow with every claim and survive a change of coordinators', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    for (const epoch of [1, 2, 3]) {
      await win(ledger, `holder-${epoch}`);
      const [item] = (await scanned(ledger, epoch)).running;
      t.like(item, { index: 0, row: { attempt: epoch, claimEpoch: epoch - 1 } });
      await handBack(ledger, epoch, [back(0, row('w1', epoch, epoch - 1))]);
      const reply = await claimed(ledger, epoch, 'w1', [{ index: 0, lastAttempt: epoch }]);
      t.deepEqual(reply.granted, [{ from: 0, count: 1, attempt: epoch + 1 }]);
    }
  });

  test('the coordinator claims and records an item of its own', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, COORDINATOR_WORKER, [{ cursor: 0, count: 1 }]);
    t.is((await scanned(ledger, 0)).running[0]?.row.worker, COORDINATOR_WORKER);
    t.deepEqual(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0, 1, 0, false)]), { kind: 'settled', verdicts: ['accepted'] });
  });
}
