import type { TestFn } from 'ava';
import { NO_FAULTS } from '../../../runtime/ledger/contract.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { createFaultyLedger, InjectedFault } from '../../support/faulty-ledger.ts';
import { back, by, claimed, move, type Open, outcome, row, SOME_WORKER, scanned, start, win } from '../../support/ledger-start.ts';

const RUNNING = { index: 0, state: 'running', row: row('w1'), second: null, lastAttempt: 1, faults: NO_FAULTS } as const;
const MOVED = { kind: 'reassigned', verdicts: [{ kind: 'moved', attempt: 2 }] } as const;

export function reassignSuite(test: TestFn, open: Open): void {
  test('L9, L12: the named row goes to its new worker with the next attempt under the caller’s epoch; nothing else changes', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'crashed', 40)]);
    await claimed(ledger, 0, 'w1', [{ index: 0, lastAttempt: 1 }]);
    await win(ledger, 'b');
    const before = await scanned(ledger, 1);
    t.deepEqual(await ledger.reassign(1, [move(0, row('w1', 2), 'w2')]), {
      kind: 'reassigned',
      verdicts: [{ kind: 'moved', attempt: 3 }],
    });
    const [item, other] = before.running;
    const moved = { ...item, row: row('w2', 3, 1), lastAttempt: 3 };
    t.deepEqual((await scanned(ledger, 1)).running, [moved, other]);
    t.deepEqual((await scanned(ledger, 1)).progress, before.progress);
  });

  test('L12: only the row that is named moves, and a refusal says what is there', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    await settle(ledger, 0, 'w1', [outcome(1)]);
    await handBack(ledger, 0, [back(2, row('w1'))]);
    const before = await scanned(ledger, 0);
    const moves = [
      ...[row('w2'), row('w1', 2), row('w1', 1, 5)].map((of) => move(0, of, 'w2')),
      ...[move(0, row('w1'), 'w1'), move(1, row('w1'), 'w2'), move(2, row('w1'), 'w2'), move(7, row('w1'), 'w2')],
    ];
    t.deepEqual(await ledger.reassign(0, moves), {
      kind: 'reassigned',
      verdicts: [
        ...[RUNNING, RUNNING, RUNNING, RUNNING].map((found) => ({ kind: 'refused' as const, found })),
        { kind: 'refused', found: { index: 1, state: 'done' } },
        { kind: 'refused', found: { index: 2, state: 'handed-back', row: row('w1'), lastAttempt: 1, faults: NO_FAULTS } },
        { kind: 'refused', found: { index: 7, state: 'fresh' } },
      ],
    });
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('L12: neither a late hand-back nor a late move takes the next attempt', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await ledger.register(by(0), 'w3', SOME_WORKER);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.reassign(0, [move(0, row('w1'), 'w2')]);
    const found = { row: row('w2', 2) };
    t.like(await handBack(ledger, 0, [back(0, row('w1'))]), { verdicts: [{ kind: 'refused', found }] });
    t.like(await ledger.reassign(0, [move(0, row('w1'), 'w3')]), { verdicts: [{ kind: 'refused', found }] });
    t.like(await ledger.progress(), { running: 1, handedBack: 0 });
  });

  test('L32: settled before it moves, the item stays settled', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await settle(ledger, 0, 'w1', [outcome(0)]);
    t.like(await ledger.reassign(0, [move(0, row('w1'), 'w2')]), { verdicts: [{ kind: 'refused', found: { state: 'done' } }] });
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 2)]), { verdicts: ['recorded'] });
  });

  test('L32: once it moved, the old worker may not settle it, now or ever, and the new one may', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.reassign(0, [move(0, row('w1'), 'w2')]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0), outcome(0, 2)]), { verdicts: ['stale', 'stale'] });
    await handBack(ledger, 0, [back(0, row('w2', 2))]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['stale'] });
    t.like(await ledger.look(0, [{ index: 0, row: row('w2', 2) }]), { verdicts: ['live'] });
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 2)]), { verdicts: ['accepted'] });
  });

  test('L32: of a settlement and a move at the same time exactly one wins, whichever comes first', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 40 }]);
    const settleOne = (index: number) => settle(ledger, 0, 'w1', [outcome(index)]);
    const steal = (index: number) => ledger.reassign(0, [move(index, row('w1'), 'w2')]);
    for (let index = 0; index < 40; index += 2) {
      const settleFirst = await Promise.all([settleOne(index), steal(index)]);
      t.like(settleFirst, [{ verdicts: ['accepted'] }, { verdicts: [{ kind: 'refused' }] }]);
      const stealFirst = await Promise.all([steal(index + 1), settleOne(index + 1)]);
      t.like(stealFirst, [{ verdicts: [{ kind: 'moved' }] }, { verdicts: ['stale'] }]);
    }
    t.like(await scanned(ledger, 0), { progress: { running: 20, done: 20 } });
  });

  test('L32: of two moves at the same time exactly one wins', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await ledger.register(by(0), 'w3', SOME_WORKER);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const replies = await Promise.all(['w2', 'w3'].map((to) => ledger.reassign(0, [move(0, row('w1'), to)])));
    t.like(replies, [
      { verdicts: [{ kind: 'moved', attempt: 2 }] },
      { verdicts: [{ kind: 'refused', found: { row: row('w2', 2), lastAttempt: 2 } }] },
    ]);
  });

  test('L7: a move asked again is answered alike and changes nothing, until the row has gone on', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    const ask = () => ledger.reassign(0, [move(0, row('w1'), 'w2')]);
    t.deepEqual(await ask(), MOVED);
    const before = await scanned(ledger, 0);
    t.deepEqual(await ask(), MOVED);
    t.deepEqual(await scanned(ledger, 0), before);
    await ledger.reassign(0, [move(0, row('w2', 2), 'w1')]);
    t.like(await ask(), { verdicts: [{ kind: 'refused', found: { row: row('w1', 3), lastAttempt: 3 } }] });
    await handBack(ledger, 0, [back(0, row('w1', 3))]);
    t.like(await ask(), { verdicts: [{ kind: 'refused', found: { state: 'handed-back', lastAttempt: 3 } }] });
  });

  test('L7, L12: a move of unknown fate is asked again: done once, whether it was done or not', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    for (const [index, fault] of (['fail-after', 'fail-before'] as const).entries()) {
      const faulty = createFaultyLedger(ledger, (verb, call) => (verb === 'reassign' && call === 1 ? fault : null));
      const ask = () => faulty.reassign(0, [move(index, row('w1'), 'w2')]);
      await t.throwsAsync(ask(), { instanceOf: InjectedFault });
      t.deepEqual(await ask(), MOVED, fault);
    }
    t.deepEqual(
      (await scanned(ledger, 0)).running.map((item) => [item.row, item.lastAttempt]),
      [
        [row('w2', 2), 2],
        [row('w2', 2), 2],
      ],
    );
  });

  test('L12: a lost move that a settlement of its new worker followed is refused, and says so', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.reassign(0, [move(0, row('w1'), 'w2')]);
    await settle(ledger, 0, 'w2', [outcome(0, 2, 0, false)]);
    const again = await ledger.reassign(0, [move(0, row('w1'), 'w2')]);
    t.deepEqual(again, { kind: 'reassigned', verdicts: [{ kind: 'refused', found: { index: 0, state: 'failed' } }] });
  });

  test('L31: nothing moves to a worker that is not registered, or no longer', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.forget(by(0), 'w2');
    const refused = { kind: 'refused', found: RUNNING } as const;
    t.deepEqual(await ledger.reassign(0, [move(0, row('w1'), 'w2'), move(0, row('w1'), 'stranger')]), {
      kind: 'reassigned',
      verdicts: [refused, refused],
    });
    await ledger.register(by(0), 'w2', SOME_WORKER);
    t.deepEqual(await ledger.reassign(0, [move(0, row('w1'), 'w2')]), MOVED);
  });
}
