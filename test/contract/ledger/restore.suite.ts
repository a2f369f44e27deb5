import type { TestFn } from 'ava';
import { handBack, settle } from '../../support/commit-parts.ts';
import { createFaultyLedger, InjectedFault } from '../../support/faulty-ledger.ts';
import { back, by, claimed, move, type Open, outcome, row, SOME_WORKER, scanned, start, taken, win } from '../../support/ledger-start.ts';

const RESTORED = { kind: 'restored', verdicts: [{ kind: 'restored' }] } as const;
const FIRST = taken(0, row('w1'));

export function restoreSuite(test: TestFn, open: Open): void {
  test('L44: the row that was taken last runs again as it was, also under a later epoch, and settles', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await handBack(ledger, 0, [back(0, row('w1'), 'crashed', 40)]);
    await win(ledger, 'b');
    const before = await scanned(ledger, 1);
    t.deepEqual(await ledger.restore(1, [FIRST]), RESTORED);
    const after = await scanned(ledger, 1);
    const [item] = before.handedBack;
    t.deepEqual(
      after.running.find(({ index }) => index === 0),
      item === undefined ? undefined : { ...item, second: null, faults: { ...item.faults, restores: 1 } },
      'the faults are not forgotten (L14), and that it was restored is counted',
    );
    t.like(after.progress, { cursor: 2, running: 2, handedBack: 0 });
    t.like(await settle(ledger, 1, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
  });

  test('L7, L44: asked again, also after a lost reply, it answers the same and writes nothing', async (t) => {
    const inner = await open(t);
    await start(inner);
    await claimed(inner, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await handBack(inner, 0, [back(0, row('w1'))]);
    const ledger = createFaultyLedger(inner, () => 'fail-after');
    await t.throwsAsync(ledger.restore(0, [FIRST]), { instanceOf: InjectedFault });
    const before = await scanned(inner, 0);
    t.deepEqual(await inner.restore(0, [FIRST]), RESTORED);
    t.deepEqual(await scanned(inner, 0), before);
  });

  test('L14, L38, L44: a hand-back that comes once more after its row was restored is refused: the row runs on, and nothing counts twice', async (t) => {
    for (const reason of ['crashed', 'lost'] as const) {
      const ledger = await open(t);
      await start(ledger);
      await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
      const asked = [back(0, row('w1'), reason)];
      const crashes = reason === 'crashed' ? 1 : 0;
      await handBack(ledger, 0, asked);
      t.like(await handBack(ledger, 0, asked), { verdicts: [{ faults: { crashes } }] }, 'before the restore it counts once');
      t.deepEqual(await ledger.restore(0, [FIRST]), RESTORED);
      const before = await scanned(ledger, 0);
      t.like(await handBack(ledger, 0, asked), { verdicts: [{ kind: 'refused', found: { state: 'running', row: row('w1') } }] });
      t.deepEqual(await scanned(ledger, 0), before);
      t.like(await handBack(ledger, 0, [back(0, row('w1'), 'crashed', 0, 1)]), { verdicts: [{ faults: { crashes: crashes + 1 } }] });
    }
  });

  test('L38, L44: a restore that comes once more after its row was taken again is refused, and so is the hand-back before it', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await handBack(ledger, 0, [back(0, row('w1'))]);
    await ledger.restore(0, [FIRST]);
    await handBack(ledger, 0, [back(0, row('w1'), 'lost', 0, 1)]);
    const before = await scanned(ledger, 0);
    t.like(await ledger.restore(0, [FIRST]), { verdicts: [{ kind: 'refused', found: { state: 'handed-back' } }] });
    t.like(await handBack(ledger, 0, [back(0, row('w1'), 'crashed')]), { verdicts: [{ kind: 'refused' }] });
    t.deepEqual(await scanned(ledger, 0), before);
    t.deepEqual(await ledger.restore(0, [taken(0, row('w1'), 1)]), RESTORED, 'one that knows of both is carried out');
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
  });

  test('L44: an item that was claimed since, is recorded, or was taken from another row stays as it is', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
    await handBack(ledger, 0, [back(0, row('w1')), back(1, row('w1')), back(2, row('w1'))]);
    await claimed(ledger, 0, 'w2', [{ index: 0, lastAttempt: 1 }]);
    await settle(ledger, 0, 'w1', [outcome(1)]);
    await ledger.reassign(0, [move(3, row('w1'), 'w2')]);
    const before = await scanned(ledger, 0);
    const rows = [0, 1, 3, 7].map((index) => taken(index, row('w1')));
    t.deepEqual(await ledger.restore(0, [...rows, taken(2, row('w1', 1, 5)), taken(2, row('w2'))]), {
      kind: 'restored',
      verdicts: [
        { kind: 'refused', found: { state: 'running', ...before.running.find(({ index }) => index === 0) } },
        { kind: 'refused', found: { index: 1, state: 'done' } },
        { kind: 'refused', found: { state: 'running', ...before.running.find(({ index }) => index === 3) } },
        { kind: 'refused', found: { index: 7, state: 'fresh' } },
        ...[0, 1].map(() => ({ kind: 'refused', found: { state: 'handed-back', ...before.handedBack[0] } })),
      ],
    } as never);
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('L31, L44: nothing is restored for a worker that is not registered any more', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await handBack(ledger, 0, [back(0, row('w1'))]);
    await ledger.forget(by(0), 'w1');
    t.like(await ledger.restore(0, [FIRST]), { verdicts: [{ kind: 'refused', found: { state: 'handed-back' } }] });
    await ledger.register(by(0), 'w1', SOME_WORKER);
    t.deepEqual(await ledger.restore(0, [FIRST]), RESTORED);
  });
}
