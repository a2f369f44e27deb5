import type { TestFn } from 'ava';
import type { HandBackReason } from '../../../runtime/ledger/contract.ts';
import { back, claimed, type Open, outcome, row, scanned, start } from '../../support/ledger-start.ts';

export function handBackSuite(test: TestFn, open: Open): void {
  test('L12: only the row that is named is taken', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await ledger.settle(0, 'w1', [outcome(1)]);
    const running = { index: 0, state: 'running', row: row('w1'), faults: { failures: 0, delayMs: 0 } } as const;
    t.deepEqual(
      await ledger.handBack(0, [
        back(0, row('w2')),
        back(0, row('w1', 2)),
        back(0, row('w1', 1, 5)),
        back(1, row('w1')),
        back(7, row('w1')),
      ]),
      {
        kind: 'returned',
        verdicts: [
          { kind: 'refused', found: running },
          { kind: 'refused', found: running },
          { kind: 'refused', found: running },
          { kind: 'refused', found: { index: 1, state: 'done' } },
          { kind: 'refused', found: { index: 7, state: 'fresh' } },
        ],
      },
    );
    t.like(await ledger.progress(), { running: 1, handedBack: 0, done: 1 });
  });

  test('L12: a late hand-back does not take the next attempt', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.handBack(0, [back(0, row('w1'))]);
    await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: 1 }]);
    t.like(await ledger.handBack(0, [back(0, row('w1'))]), { verdicts: [{ kind: 'refused', found: { row: row('w1', 2) } }] });
    t.like(await ledger.progress(), { running: 1, handedBack: 0 });
  });

  test('L7: handing back again is answered alike and counts once', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const once = await ledger.handBack(0, [back(0, row('w1'), 'failed', 250)]);
    t.deepEqual(once, { kind: 'returned', verdicts: [{ kind: 'returned', faults: { failures: 1, delayMs: 250 } }] });
    t.deepEqual(await ledger.handBack(0, [back(0, row('w1'), 'failed', 250)]), once);
    t.like(await ledger.progress(), { handedBack: 1 });
  });

  test('L14: failures survive claims and count only for the reason failed; the delay is the last one', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const steps: [HandBackReason, number, number][] = [
      ['failed', 100, 1],
      ['drained', 0, 1],
      ['failed', 400, 2],
      ['throttled', 50, 2],
      ['lost', 0, 2],
      ['unavailable', 0, 2],
      ['quota', 0, 2],
    ];
    for (const [at, [reason, delayMs, failures]] of steps.entries()) {
      const reply = await ledger.handBack(0, [back(0, row('w1', at + 1), reason, delayMs)]);
      t.deepEqual(reply, { kind: 'returned', verdicts: [{ kind: 'returned', faults: { failures, delayMs } }] }, reason);
      await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: at + 1 }]);
      t.is((await scanned(ledger, 0)).running[0]?.faults.failures, failures, `running after ${reason}`);
    }
  });

  test('L14: an item without faults has none after an uncounted hand-back without delay', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.handBack(0, [back(0, row('w1'), 'throttled', 90)]);
    await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: 1 }]);
    await ledger.handBack(0, [back(0, row('w1', 2), 'lost', 0)]);
    t.deepEqual((await scanned(ledger, 0)).handedBack, [{ index: 0, row: row('w1', 2), faults: { failures: 0, delayMs: 0 } }]);
  });
}
