import type { TestFn } from 'ava';
import { type Faults, type HandBackReason, NO_FAULTS, type Returned } from '../../../runtime/ledger/contract.ts';
import type { Row } from '../../../runtime/model/row.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { back, claimed, type Open, outcome, row, scanned, start } from '../../support/ledger-start.ts';

function returned(faults: Partial<Faults> = {}, lastAttempt = 1, other: Row | null = null): Returned {
  return { kind: 'returned', faults: { ...NO_FAULTS, ...faults }, lastAttempt, other };
}

export function handBackSuite(test: TestFn, open: Open): void {
  test('L12: only the row that is named is taken', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await settle(ledger, 0, 'w1', [outcome(1)]);
    const running = { index: 0, state: 'running', row: row('w1'), second: null, lastAttempt: 1, faults: NO_FAULTS } as const;
    t.deepEqual(
      await handBack(ledger, 0, [
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
    await handBack(ledger, 0, [back(0, row('w1'))]);
    await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: 1 }]);
    t.like(await handBack(ledger, 0, [back(0, row('w1'))]), { verdicts: [{ kind: 'refused', found: { row: row('w1', 2) } }] });
    t.like(await ledger.progress(), { running: 1, handedBack: 0 });
  });

  test('L7: handing back again is answered alike and counts once', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const once = await handBack(ledger, 0, [back(0, row('w1'), 'failed', 250)]);
    t.deepEqual(once, { kind: 'returned', verdicts: [returned({ failures: 1, delayMs: 250 })] });
    t.deepEqual(await handBack(ledger, 0, [back(0, row('w1'), 'failed', 250)]), once);
    t.like(await ledger.progress(), { handedBack: 1 });
  });

  test('L14: each fault is counted for its reason alone and survives claims; the delay is the last one', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const steps: [HandBackReason, number, Partial<Faults>][] = [
      ['failed', 100, { failures: 1 }],
      ['drained', 0, { failures: 1 }],
      ['suspected', 0, { failures: 1, suspicions: 1 }],
      ['failed', 400, { failures: 2, suspicions: 1 }],
      ['throttled', 50, { failures: 2, suspicions: 1 }],
      ['crashed', 0, { failures: 2, suspicions: 1, crashes: 1 }],
      ['lost', 0, { failures: 2, suspicions: 1, crashes: 1 }],
      ['unavailable', 0, { failures: 2, suspicions: 1, crashes: 1 }],
      ['quota', 0, { failures: 2, suspicions: 1, crashes: 1 }],
      ['recalled', 0, { failures: 2, suspicions: 1, crashes: 1 }],
      ['crashed', 7, { failures: 2, suspicions: 1, crashes: 2 }],
    ];
    for (const [at, [reason, delayMs, counts]] of steps.entries()) {
      const reply = await handBack(ledger, 0, [back(0, row('w1', at + 1), reason, delayMs)]);
      t.deepEqual(reply, { kind: 'returned', verdicts: [returned({ ...counts, delayMs }, at + 1)] }, reason);
      await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: at + 1 }]);
      t.deepEqual((await scanned(ledger, 0)).running[0]?.faults, { ...NO_FAULTS, ...counts, delayMs }, `running after ${reason}`);
    }
  });

  test('L14: an item without faults has none after an uncounted hand-back without delay', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'throttled', 90)]);
    await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: 1 }]);
    await handBack(ledger, 0, [back(0, row('w1', 2), 'lost', 0)]);
    t.deepEqual((await scanned(ledger, 0)).handedBack, [{ index: 0, row: row('w1', 2), lastAttempt: 2, faults: NO_FAULTS }]);
  });
}
