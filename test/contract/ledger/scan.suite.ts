import type { TestFn } from 'ava';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import { NO_FAULTS } from '../../../runtime/ledger/contract.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { back, claimed, type Open, outcome, row, SOME_WORKER, scanned, start } from '../../support/ledger-start.ts';

export function scanSuite(test: TestFn, open: Open): void {
  test('L6: scan tells all that is in flight, ascending, with counters that add up', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w2', [{ cursor: 0, count: 300 }]);
    await handBack(ledger, 0, [back(299, row('w2'), 'failed', 30), back(2, row('w2'))]);
    await settle(ledger, 0, 'w2', [outcome(0), outcome(1, 1, 0, false)]);
    const scan = await scanned(ledger, 0);
    t.like(scan.progress, { epoch: 0, cursor: 300, running: 296, handedBack: 2, done: 1, failed: 1 });
    t.deepEqual(
      scan.running.map((item) => item.index),
      Array.from({ length: 296 }, (_, at) => at + 3),
    );
    t.deepEqual(scan.handedBack, [
      { index: 2, row: row('w2'), lastAttempt: 1, faults: NO_FAULTS },
      { index: 299, row: row('w2'), lastAttempt: 1, faults: { ...NO_FAULTS, failures: 1, delayMs: 30 } },
    ]);
    t.deepEqual(scan.workers, [
      { worker: 'w1', info: SOME_WORKER },
      { worker: 'w2', info: SOME_WORKER },
    ]);
    t.deepEqual(scan.progress, await ledger.progress());
  });

  test('L7: the replies of calls made together are as if one came after the other', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    const replies = await Promise.all(Array.from({ length: 20 }, () => claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }])));
    t.deepEqual(
      replies.flatMap((reply) => reply.granted),
      [{ from: 0, count: 1, attempt: 1 }],
    );
    t.is((await ledger.progress()).cursor, 1);
  });

  test('a request that is refused as a bug leaves nothing behind, and those beside it go on', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    const bad = handBack(ledger, 0, [back(0, row('w1')), back(1, row('w1'), 'throttled', -1)]);
    const good = settle(ledger, 0, 'w1', [outcome(1)]);
    await t.throwsAsync(bad, { instanceOf: AssertionFailed });
    t.like(await good, { verdicts: ['accepted'] });
    t.like(await scanned(ledger, 0), { progress: { running: 1, handedBack: 0, done: 1 } });
  });
}
