import type { TestFn } from 'ava';
import { type Ledger, NO_FAULTS } from '../../../runtime/ledger/contract.ts';
import { COORDINATOR_WORKER } from '../../../runtime/model/row.ts';
import { handBack, settle } from '../../support/commit-parts.ts';
import { createFaultyLedger, InjectedFault } from '../../support/faulty-ledger.ts';
import { back, by, claimed, move, type Open, outcome, row, SOME_WORKER, scanned, sole, start, win } from '../../support/ledger-start.ts';

const FIRST = sole(0, row('w1'));
const SECOND = sole(0, row('w2', 2));
const GRANTED = { kind: 'second-attempts', verdicts: [{ kind: 'granted', attempt: 2 }] } as const;
const TWICE = { index: 0, row: FIRST.row, second: SECOND.row, lastAttempt: 2, faults: NO_FAULTS } as const;

/** Item 0 runs on w1 and on w2; w3 is registered. */
async function twice(ledger: Ledger): Promise<Ledger> {
  await start(ledger);
  await ledger.register(by(0), 'w3', SOME_WORKER);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
  await ledger.second(0, 'w2', [FIRST]);
  return ledger;
}

export function secondSuite(test: TestFn, open: Open): void {
  test('L13: a second attempt is a second row with the next attempt, and the item is counted once', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await win(ledger, 'b');
    t.deepEqual(await ledger.second(1, 'w2', [FIRST]), GRANTED);
    const scan = await scanned(ledger, 1);
    t.deepEqual(scan.running, [{ ...TWICE, second: row('w2', 2, 1) }]);
    t.like(scan.progress, { cursor: 1, running: 1, handedBack: 0 });
    t.like(await ledger.look(1, [FIRST, { index: 0, row: row('w2', 2, 1) }, SECOND]), { verdicts: ['live', 'live', 'stale'] });
  });

  for (const [winner, loser] of [
    ['w1', 'w2'],
    ['w2', 'w1'],
  ] as const) {
    test(`L13: a settlement of either row removes both (${winner} first)`, async (t) => {
      const ledger = await twice(await open(t));
      const attempt = { w1: 1, w2: 2 };
      t.like(await settle(ledger, 0, winner, [outcome(0, attempt[winner])]), { verdicts: ['accepted'] });
      t.like(await settle(ledger, 0, loser, [outcome(0, attempt[loser], 0, false)]), { verdicts: ['recorded'] });
      t.like(await handBack(ledger, 0, [back(0, row(loser, attempt[loser]))]), {
        verdicts: [{ kind: 'refused', found: { state: 'done' } }],
      });
      t.like(await scanned(ledger, 0), { running: [], handedBack: [], progress: { running: 0, done: 1 } });
    });
  }

  test('L13: both rows settle at the same time, and exactly one is accepted', async (t) => {
    const ledger = await twice(await open(t));
    const replies = await Promise.all([settle(ledger, 0, 'w2', [outcome(0, 2)]), settle(ledger, 0, 'w1', [outcome(0, 1)])]);
    t.deepEqual(
      replies.map((reply) => reply.kind === 'settled' && reply.verdicts),
      [['accepted'], ['recorded']],
    );
  });

  test('L13: a hand-back of the first row leaves the second, which is then the item’s row', async (t) => {
    const ledger = await twice(await open(t));
    const faults = { ...NO_FAULTS, suspicions: 1 };
    t.deepEqual(await handBack(ledger, 0, [back(0, FIRST.row, 'suspected')]), {
      kind: 'returned',
      verdicts: [{ kind: 'returned', faults, lastAttempt: 2, other: SECOND.row }],
    });
    t.deepEqual((await scanned(ledger, 0)).running, [{ ...TWICE, row: SECOND.row, second: null, faults }]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['stale'] });
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 2)]), { verdicts: ['accepted'] });
  });

  test('L13: a hand-back of the second row leaves the first', async (t) => {
    const ledger = await twice(await open(t));
    t.deepEqual(await handBack(ledger, 0, [back(0, SECOND.row, 'recalled')]), {
      kind: 'returned',
      verdicts: [{ kind: 'returned', faults: NO_FAULTS, lastAttempt: 2, other: FIRST.row }],
    });
    t.deepEqual((await scanned(ledger, 0)).running, [{ ...TWICE, second: null }]);
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 2)]), { verdicts: ['stale'] });
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
  });

  test('L9, L13, L15: without rows the item is pending with the row taken last; the next attempt follows the highest', async (t) => {
    const ledger = await twice(await open(t));
    await handBack(ledger, 0, [back(0, SECOND.row, 'crashed')]);
    const faults = { ...NO_FAULTS, failures: 1, crashes: 1 };
    t.deepEqual(await handBack(ledger, 0, [back(0, FIRST.row, 'failed')]), {
      kind: 'returned',
      verdicts: [{ kind: 'returned', faults, lastAttempt: 2, other: null }],
    });
    const found = { index: 0, row: FIRST.row, lastAttempt: 2, faults };
    t.like(await scanned(ledger, 0), { running: [], handedBack: [found], progress: { running: 0, handedBack: 1 } });
    t.like(await ledger.look(0, [FIRST, SECOND]), { verdicts: ['live', 'stale'] });
    const refused = { kind: 'refused', found: { ...found, state: 'handed-back' } } as const;
    t.deepEqual(await handBack(ledger, 0, [back(0, SECOND.row, 'crashed')]), { kind: 'returned', verdicts: [refused] });
    t.deepEqual((await claimed(ledger, 0, 'w3', [{ index: 0, lastAttempt: 1 }])).found, [{ state: 'handed-back', ...found }]);
    t.deepEqual((await claimed(ledger, 0, 'w3', [{ index: 0, lastAttempt: 2 }])).granted, [{ from: 0, count: 1, attempt: 3 }]);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['stale'] });
  });

  test('L15: the coordinator records in the place of the row taken last, also where a later attempt was given', async (t) => {
    const ledger = await twice(await open(t));
    t.like(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0), outcome(0, 2)]), { verdicts: ['stale', 'stale'] }, 'both run');
    await handBack(ledger, 0, [back(0, SECOND.row), back(0, FIRST.row)]);
    t.like(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0, 2, 0, false)]), { verdicts: ['stale'] });
    t.like(await settle(ledger, 0, COORDINATOR_WORKER, [outcome(0, 1, 0, false)]), { verdicts: ['accepted'] });
  });

  test('L7, L14: a hand-back of one row, asked again, counts once and says what runs on', async (t) => {
    const ledger = await twice(await open(t));
    const ask = () => handBack(ledger, 0, [back(0, FIRST.row, 'crashed')]);
    t.like(await ask(), { verdicts: [{ kind: 'returned', faults: { crashes: 1 } }] });
    t.deepEqual(await ask(), {
      kind: 'returned',
      verdicts: [
        {
          kind: 'refused',
          found: { ...TWICE, state: 'running', row: SECOND.row, second: null, faults: { ...NO_FAULTS, crashes: 1 } },
        },
      ],
    });
  });

  test('L9, L13: after one of two was handed back another second attempt may follow, above all before it', async (t) => {
    const ledger = await twice(await open(t));
    await handBack(ledger, 0, [back(0, SECOND.row)]);
    t.like(await ledger.second(0, 'w2', [{ ...FIRST, lastAttempt: 2 }]), { verdicts: [{ kind: 'granted', attempt: 3 }] });
    t.like(await settle(ledger, 0, 'w2', [outcome(0, 2), outcome(0, 3)]), { verdicts: ['stale', 'accepted'] });
  });

  test('L10, L13: both rows outlive a change of coordinators; the new one neither repeats nor adds to them', async (t) => {
    const ledger = await twice(await open(t));
    await win(ledger, 'b');
    const found = { ...TWICE, state: 'running' } as const;
    for (const worker of ['w2', 'w3']) {
      t.deepEqual(await ledger.second(1, worker, [FIRST]), { kind: 'second-attempts', verdicts: [{ kind: 'refused', found }] });
    }
    t.like(await settle(ledger, 1, 'w2', [outcome(0, 2)]), { verdicts: ['accepted'] });
  });

  test('L13: refused where two run already, for the owner itself, for another row, and for what is not running', async (t) => {
    const ledger = await twice(await open(t));
    await claimed(ledger, 0, 'w1', [{ cursor: 1, count: 3 }]);
    await settle(ledger, 0, 'w1', [outcome(2)]);
    await handBack(ledger, 0, [back(3, row('w1'))]);
    const before = await scanned(ledger, 0);
    const one = { ...TWICE, index: 1, state: 'running', second: null, lastAttempt: 1 } as const;
    t.deepEqual(await ledger.second(0, 'w3', [FIRST, SECOND, ...[2, 3, 9].map((index) => sole(index, row('w1')))]), {
      kind: 'second-attempts',
      verdicts: [
        { kind: 'refused', found: { ...TWICE, state: 'running' } },
        { kind: 'refused', found: { ...TWICE, state: 'running' } },
        { kind: 'refused', found: { index: 2, state: 'done' } },
        { kind: 'refused', found: { index: 3, state: 'handed-back', row: row('w1'), lastAttempt: 1, faults: NO_FAULTS } },
        { kind: 'refused', found: { index: 9, state: 'fresh' } },
      ],
    });
    const rows = [row('w2'), row('w1', 2), row('w1', 1, 4)];
    const refused = { kind: 'refused', found: one } as const;
    t.deepEqual(
      await ledger.second(
        0,
        'w3',
        rows.map((of) => sole(1, of, 1)),
      ),
      {
        kind: 'second-attempts',
        verdicts: [refused, refused, refused],
      },
    );
    t.deepEqual(await ledger.second(0, 'w1', [sole(1, row('w1'))]), { kind: 'second-attempts', verdicts: [refused] });
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('L31: no second attempt for a worker that is not registered, or no longer', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    await ledger.forget(by(0), 'w2');
    for (const worker of ['w2', 'stranger']) t.like(await ledger.second(0, worker, [FIRST]), { verdicts: [{ kind: 'refused' }] });
    await ledger.register(by(0), 'w2', SOME_WORKER);
    t.deepEqual(await ledger.second(0, 'w2', [FIRST]), GRANTED);
  });

  test('L7: asked again it is answered alike and changes nothing; of two that are asked together one is granted', async (t) => {
    const ledger = await twice(await open(t));
    const before = await scanned(ledger, 0);
    t.deepEqual(await ledger.second(0, 'w2', [FIRST, FIRST]), {
      kind: 'second-attempts',
      verdicts: [...GRANTED.verdicts, ...GRANTED.verdicts],
    });
    t.deepEqual(await scanned(ledger, 0), before);
    await claimed(ledger, 0, 'w1', [{ cursor: 1, count: 1 }]);
    const replies = await Promise.all(['w3', 'w2'].map((worker) => ledger.second(0, worker, [sole(1, row('w1'))])));
    t.like(
      replies.flatMap((reply) => (reply.kind === 'second-attempts' ? reply.verdicts : [])),
      [
        { kind: 'granted', attempt: 2 },
        { kind: 'refused', found: { second: row('w3', 2) } },
      ],
    );
  });

  test('L7, L13: a second attempt of unknown fate is asked again: given once, whether it was given or not', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    for (const [index, fault] of (['fail-after', 'fail-before'] as const).entries()) {
      const faulty = createFaultyLedger(ledger, (verb, call) => (verb === 'second' && call === 1 ? fault : null));
      const ask = () => faulty.second(0, 'w2', [sole(index, row('w1'))]);
      await t.throwsAsync(ask(), { instanceOf: InjectedFault });
      t.deepEqual(await ask(), GRANTED, fault);
    }
    t.deepEqual((await scanned(ledger, 0)).running, [TWICE, { ...TWICE, index: 1 }]);
  });

  test('L38: a second attempt that is carried out late, after its row has gone, gives no third', async (t) => {
    const ledger = await twice(await open(t));
    await handBack(ledger, 0, [back(0, SECOND.row)]);
    const before = await scanned(ledger, 0);
    t.like(await ledger.second(0, 'w2', [FIRST]), { verdicts: [{ kind: 'refused', found: { row: FIRST.row, lastAttempt: 2 } }] });
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('L13: a settlement before it refuses the second attempt; one after it is still accepted', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await settle(ledger, 0, 'w1', [outcome(0)]);
    t.like(await ledger.second(0, 'w2', [FIRST]), { verdicts: [{ kind: 'refused', found: { state: 'done' } }] });
    t.deepEqual(await ledger.second(0, 'w2', [sole(1, row('w1'))]), GRANTED);
    t.like(await settle(ledger, 0, 'w1', [outcome(1)]), { verdicts: ['accepted'] });
  });

  test('L12, L13: either of two rows moves, not to the other’s worker, and the other stays live', async (t) => {
    const ledger = await twice(await open(t));
    t.like(await ledger.reassign(0, [move(0, FIRST.row, 'w2'), move(0, SECOND.row, 'w1')]), {
      verdicts: [{ kind: 'refused' }, { kind: 'refused' }],
    });
    t.like(await ledger.reassign(0, [move(0, SECOND.row, 'w3')]), { verdicts: [{ kind: 'moved', attempt: 3 }] });
    t.deepEqual((await scanned(ledger, 0)).running, [{ ...TWICE, second: row('w3', 3), lastAttempt: 3 }]);
    t.like(await ledger.reassign(0, [move(0, FIRST.row, 'w2')]), { verdicts: [{ kind: 'moved', attempt: 4 }] });
    t.deepEqual((await scanned(ledger, 0)).running, [{ ...TWICE, row: row('w2', 4), second: row('w3', 3), lastAttempt: 4 }]);
    t.like(await ledger.look(0, [FIRST, SECOND, { index: 0, row: row('w2', 4) }, { index: 0, row: row('w3', 3) }]), {
      verdicts: ['stale', 'stale', 'live', 'live'],
    });
  });
}
