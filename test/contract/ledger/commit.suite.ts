import type { TestFn } from 'ava';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import type { CommitRequest } from '../../../runtime/ledger/contract.ts';
import { claimRequest, handBack, handBackRequest, settle, settleRequest } from '../../support/commit-parts.ts';
import { back, by, claimed, move, type Open, outcome, row, scanned, sole, start, taken, win } from '../../support/ledger-start.ts';

const MANY = 700;

function all(...parts: readonly CommitRequest[]): CommitRequest {
  return {
    settles: parts.flatMap((part) => part.settles),
    handBacks: parts.flatMap((part) => part.handBacks),
    claims: parts.flatMap((part) => part.claims),
  };
}

export function commitSuite(test: TestFn, open: Open): void {
  test('settlements, hand-backs and claims of one commit are all there afterwards, each with its verdict', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
    await handBack(ledger, 0, [back(3, row('w1'), 'failed')]);
    const reply = await ledger.commit(
      0,
      all(
        settleRequest('w1', [outcome(0), outcome(1, 1, 0, false), outcome(2, 7)]),
        settleRequest('w2', [outcome(2)]),
        handBackRequest([back(2, row('w1'), 'crashed')]),
        claimRequest('w1', [{ cursor: 4, count: 2 }]),
        claimRequest('w2', [
          { index: 3, lastAttempt: 1 },
          { cursor: 6, count: 1 },
        ]),
      ),
    );
    t.like(reply, {
      settled: ['accepted', 'accepted', 'stale', 'stale'],
      handedBack: [{ kind: 'returned', lastAttempt: 1 }],
      claimed: [
        { granted: [{ from: 4, count: 2, attempt: 1 }], found: [] },
        {
          granted: [
            { from: 3, count: 1, attempt: 2 },
            { from: 6, count: 1, attempt: 1 },
          ],
          cursor: 7,
        },
      ],
    });
    const { progress, running, handedBack } = await scanned(ledger, 0);
    t.like(progress, { cursor: 7, running: 4, handedBack: 1, done: 1, failed: 1 });
    t.deepEqual(
      running.map(({ index, row: owned }) => [index, owned.worker, owned.attempt]),
      [
        [3, 'w2', 2],
        [4, 'w1', 1],
        [5, 'w1', 1],
        [6, 'w2', 1],
      ],
    );
    t.like(handedBack, [{ index: 2, faults: { crashes: 1 } }]);
  });

  test('L7: a commit that is asked again does nothing more, and answers what is there', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    const request = all(
      settleRequest('w1', [outcome(0)]),
      handBackRequest([back(1, row('w1'), 'failed', 5)]),
      claimRequest('w2', [{ cursor: 2, count: 2 }]),
    );
    const first = await ledger.commit(0, request);
    const before = await scanned(ledger, 0);
    t.like(await ledger.commit(0, request), {
      settled: ['recorded'],
      handedBack: first.kind === 'committed' ? first.handedBack : [],
      claimed: [{ granted: [], found: [{ index: 2, row: row('w2') }, { index: 3 }] }],
    });
    t.deepEqual(await scanned(ledger, 0), before);
    t.like((await ledger.tallies())[0], { count: 1 });
  });

  test('a commit with a part that is a bug writes nothing of the others', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    const before = await scanned(ledger, 0);
    const bad = all(settleRequest('w1', [outcome(0)]), handBackRequest([back(1, row('w1'), 'throttled', -1)]));
    await t.throwsAsync(ledger.commit(0, bad), { instanceOf: AssertionFailed });
    t.deepEqual(await scanned(ledger, 0), before);
  });

  test('L6: a granted range that is cut in every way stays whole over a change of coordinators', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: MANY }]);
    await settle(ledger, 0, 'w1', [outcome(0), outcome(MANY - 1), outcome(300, 1, 0, false)]);
    await handBack(ledger, 0, [back(255, row('w1')), back(256, row('w1'), 'failed')]);
    await ledger.reassign(0, [move(257, row('w1'), 'w2')]);
    await ledger.second(0, 'w2', [sole(258, row('w1'))]);
    await handBack(ledger, 0, [back(259, row('w1'))]);
    await ledger.restore(0, [taken(259, row('w1'))]);
    await claimed(ledger, 0, 'w2', [
      { index: 255, lastAttempt: 1 },
      { cursor: MANY, count: 1 },
    ]);
    t.like(await scanned(ledger, 0), { progress: { cursor: MANY + 1, running: MANY - 3, handedBack: 1, done: 2, failed: 1 } });
    await win(ledger, 'second');
    const late = [outcome(1), outcome(255), outcome(256), outcome(257), outcome(258), outcome(259), outcome(MANY)];
    t.like(await settle(ledger, 1, 'w1', late), {
      verdicts: ['accepted', 'stale', 'accepted', 'stale', 'accepted', 'accepted', 'stale'],
    });
    t.like(await settle(ledger, 1, 'w2', [outcome(255, 2), outcome(257, 2), outcome(258, 2), outcome(MANY)]), {
      verdicts: ['accepted', 'accepted', 'recorded', 'accepted'],
    });
    const left = (await scanned(ledger, 1)).running;
    t.is(left.length, MANY + 1 - 10);
    t.true(left.every((item) => item.row.worker === 'w1' && item.lastAttempt === 1));
    await settle(
      ledger,
      1,
      'w1',
      left.map(({ index }) => outcome(index)),
    );
    t.deepEqual(await ledger.finish(by(1), MANY + 1), { kind: 'finished' });
    t.like(await scanned(ledger, 1), { running: [], handedBack: [], progress: { done: MANY, failed: 1 } });
  });
}
