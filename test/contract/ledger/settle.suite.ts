import type { TestFn } from 'ava';
import { COORDINATOR_WORKER } from '../../../runtime/model/row.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { back, claimed, type Open, outcome, row, scanned, start, win } from '../../support/ledger-start.ts';

export function settleSuite(test: TestFn, open: Open): void {
  test('L10: rows claimed under an older epoch settle under the present one', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await win(ledger, 'b');
    t.deepEqual(await settle(ledger, 1, 'w1', [outcome(0), outcome(1, 1, 1)]), { kind: 'settled', verdicts: ['accepted', 'stale'] });
  });

  test('L11: accepted once, recorded ever after, whichever attempt asks', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0), outcome(0)]), { verdicts: ['accepted', 'recorded'] });
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['recorded'] });
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 7, 0, false)]), { verdicts: ['recorded'] });
    t.deepEqual([...(await ledger.bits(0, 2))], [1, 0], 'the first outcome stands');
  });

  test('L11: any other worker, attempt or claim epoch is stale, and so is an item never claimed', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    t.like(await settle(ledger, 0, 'w2', [outcome(0)]), { verdicts: ['stale'] });
    t.like(await settle(ledger, 0, 'w1', [outcome(0, 2), outcome(0, 1, 3), outcome(9)]), { verdicts: ['stale', 'stale', 'stale'] });
    t.deepEqual([...(await ledger.bits(0, 1))], [0]);
  });

  test('L11: an attempt that lost its row is refused for ever', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await handBack(ledger, 0, [back(0, row('w1'))]);
    await claimed(ledger, 0, 'w2', [{ index: 0, lastAttempt: 1 }]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['stale'] });
    await handBack(ledger, 0, [back(0, row('w2', 2))]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['stale'] });
  });

  test('L15: a handed-back item is still settled by the attempt that it was taken from', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'failed', 500)]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
    t.like(await ledger.progress(), { running: 1, handedBack: 0, done: 1 });
    t.deepEqual((await claimed(ledger, 0, 'w2', [{ index: 0, lastAttempt: 1 }])).found, [{ index: 0, state: 'done' }]);
  });

  test('L15: the coordinator records a handed-back item in its worker’s place, but never a running one', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await handBack(ledger, 0, [back(0, row('w1'))]);
    t.like(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0, 2, 0, false)]), { verdicts: ['stale'] }, 'attempt is the last one');
    t.like(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0, 1, 0, false), outcome(1, 1, 0, false)]), {
      verdicts: ['accepted', 'stale'],
    });
    t.deepEqual([...(await ledger.bits(0, 2))], [2, 0]);
  });

  test('L29: look says who may still settle, and changes nothing', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    await handBack(ledger, 0, [back(1, row('w1'))]);
    await settle(ledger, 0, 'w1', [outcome(2)]);
    const before = await scanned(ledger, 0);
    const named = [0, 1, 2, 3].map((index) => ({ index, row: row('w1') }));
    t.deepEqual(await ledger.look(0, [...named, { index: 0, row: row('w2') }]), {
      kind: 'looked',
      verdicts: ['live', 'live', 'recorded', 'stale', 'stale'],
    });
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('bits tell done from failed from open, over pages and at any offset', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    const items = 9_000;
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: items }]);
    const wanted = Array.from({ length: items + 10 }, (_, index) => (index < items ? index % 3 : 0));
    const outcomes = wanted.flatMap((bit, index) => (bit === 0 ? [] : [outcome(index, 1, 0, bit === 1)]));
    await settle(ledger, 0, 'w1', outcomes);
    t.deepEqual([...(await ledger.bits(0, items + 10))], wanted);
    t.deepEqual([...(await ledger.bits(4_090, 20))], wanted.slice(4_090, 4_110));
    t.deepEqual([...(await ledger.bits(0, 0))], []);
    t.like(await scanned(ledger, 0), { progress: { running: 3_000, done: 3_000, failed: 3_000, cursor: items } });
  });
}
