import type { TestFn } from 'ava';
import type { Ledger } from '../../../runtime/ledger/contract.ts';
import { NO_FAULTS } from '../../../runtime/ledger/contract.ts';
import type { Lease } from '../../../runtime/model/lease.ts';
import { COORDINATOR_WORKER } from '../../../runtime/model/row.ts';
import { minusOutcome, type Reopening, tallyOf } from '../../../runtime/model/tally.ts';
import { handBack, type Outcome, settle } from '../../support/commit-parts.ts';
import { back, by, claimed, type Open, outcome, row, SOME_WORKER, scanned, sole, start, win } from '../../support/ledger-start.ts';

/** Three items recorded under epoch 0: two done, item 1 failed at its second attempt; the run is completed, and epoch 1 won. */
async function completed(ledger: Ledger): Promise<Lease> {
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
  await handBack(ledger, 0, [back(1, row('w1'), 'failed')]);
  await claimed(ledger, 0, 'w1', [{ index: 1, lastAttempt: 1 }]);
  await settle(ledger, 0, 'w1', [outcome(0), outcome(1, 2, 0, false), outcome(2)]);
  await ledger.finish(by(0), 3);
  return win(ledger, 'second');
}

/** What is asked for an item whose record is known. */
async function without(ledger: Ledger, { index, attempt }: Outcome): Promise<Reopening> {
  const [first] = await ledger.tallies();
  return {
    pending: [index],
    own: [],
    tallies: [{ epoch: 0, ...minusOutcome(tallyOf(first === undefined ? [] : [first], 0), { index, attempt }) }],
  };
}

const NOTHING: Reopening = { pending: [], own: [], tallies: [] };
const FAILED = outcome(1, 2, 0, false);

export function reopenSuite(test: TestFn, open: Open): void {
  test('L45: a reopened item of a completed run is pending again, and the run runs', async (t) => {
    const ledger = await open(t);
    await completed(ledger);
    t.deepEqual(await ledger.reopen(by(1), await without(ledger, FAILED)), { kind: 'reopened' });
    t.like(await ledger.progress(), { state: { kind: 'running' }, cursor: 3, done: 2, failed: 0, handedBack: 1 });
    t.deepEqual([...(await ledger.bits(0, 3))], [1, 0, 1]);
    const { handedBack } = await scanned(ledger, 1);
    t.deepEqual(handedBack, [{ index: 1, row: row(COORDINATOR_WORKER, 3, 1), lastAttempt: 3, faults: NO_FAULTS }]);
    t.like(await claimed(ledger, 1, 'w1', [{ index: 1, lastAttempt: 3 }]), { granted: [{ from: 1, count: 1, attempt: 4 }] });
    t.deepEqual(await settle(ledger, 1, 'w1', [outcome(1, 4, 1)]), { kind: 'settled', verdicts: ['accepted'] });
    t.deepEqual(await ledger.finish(by(1), 3), { kind: 'finished' });
    t.deepEqual(
      (await ledger.tallies()).map(({ epoch, count }) => [epoch, count]),
      [
        [0, 2],
        [1, 1],
      ],
    );
  });

  test('L9, L45: the attempt after a reopening is above every one that the run has given, also to other items', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    for (let last = 1; last < 5; last += 1) {
      await handBack(ledger, 0, [back(1, row('w1', last), 'failed')]);
      await claimed(ledger, 0, 'w1', [{ index: 1, lastAttempt: last }]);
    }
    // The second attempt of item 0 outlives the settlement of the first in its worker's store.
    await ledger.second(0, 'w2', [sole(0, row('w1'))]);
    await settle(ledger, 0, 'w1', [outcome(0, 1, 0, false), outcome(1, 5)]);
    await win(ledger, 'second');
    t.like(await ledger.reopen(by(1), await without(ledger, outcome(0, 1))), { kind: 'reopened' });
    t.like((await scanned(ledger, 1)).handedBack, [{ index: 0, lastAttempt: 6 }]);
    t.deepEqual(await settle(ledger, 1, 'w2', [outcome(0, 2)]), { kind: 'settled', verdicts: ['stale'] });
    t.deepEqual(await settle(ledger, 1, 'w1', [outcome(0, 1, 0, false)]), { kind: 'settled', verdicts: ['stale'] }, 'what was recorded');
  });

  test('L7, L45: asked again, as after a lost reply, a reopening changes nothing', async (t) => {
    const ledger = await open(t);
    await completed(ledger);
    const asked = await without(ledger, FAILED);
    const stamp = by(1);
    await ledger.reopen(stamp, asked);
    const before = [await scanned(ledger, 1), await ledger.tallies()];
    t.deepEqual(await ledger.reopen(stamp, asked), { kind: 'reopened' });
    t.deepEqual([await scanned(ledger, 1), await ledger.tallies()], before);
  });

  test('L7, L45: a reopening that names an item that is not recorded is refused whole', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    await settle(ledger, 0, 'w1', [outcome(0)]);
    const before = await scanned(ledger, 0);
    const asked = await without(ledger, outcome(0));
    const reply = await ledger.reopen(by(0), { ...asked, pending: [0, 1], own: [9] });
    t.like(reply, {
      kind: 'refused',
      found: [
        { index: 1, state: 'running' },
        { index: 9, state: 'fresh' },
      ],
    });
    t.deepEqual(await scanned(ledger, 0), before);
    t.deepEqual([...(await ledger.bits(0, 1))], [1]);
  });

  test('L39, L45: a reopening whose tallies count what it takes away is a mistake', async (t) => {
    const ledger = await open(t);
    await completed(ledger);
    await t.throwsAsync(ledger.reopen(by(1), { pending: [1], own: [], tallies: [] }));
    t.like(await ledger.progress(), { state: { kind: 'completed' }, failed: 1 });
  });

  test('L15, L45: an item of the coordinator’s own runs under it, and it records it', async (t) => {
    const ledger = await open(t);
    await completed(ledger);
    const { pending, tallies } = await without(ledger, FAILED);
    t.deepEqual(await ledger.reopen(by(1), { pending: [], own: pending, tallies }), { kind: 'reopened' });
    t.like((await scanned(ledger, 1)).running, [{ index: 1, row: row(COORDINATOR_WORKER, 3, 1) }]);
    t.deepEqual(await settle(ledger, 1, COORDINATOR_WORKER, [outcome(1, 3, 1, false)]), { kind: 'settled', verdicts: ['accepted'] });
  });

  test('L16, L45: with nothing to reopen a completed run runs again, and items can be added', async (t) => {
    const ledger = await open(t);
    await completed(ledger);
    const tallies = await ledger.tallies();
    t.deepEqual(await ledger.reopen(by(1), NOTHING), { kind: 'reopened' });
    t.like(await ledger.progress(), { state: { kind: 'running' }, cursor: 3, done: 2, failed: 1 });
    t.deepEqual(await ledger.tallies(), tallies);
    await ledger.register(by(1), 'w1', SOME_WORKER);
    t.like(await claimed(ledger, 1, 'w1', [{ cursor: 3, count: 1 }]), { granted: [{ from: 3, count: 1, attempt: 1 }] });
  });

  test('L16, L45: a paused run stays paused', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await ledger.pause(by(0), 'no quota');
    t.deepEqual(await ledger.reopen(by(0), NOTHING), { kind: 'reopened' });
    t.like(await ledger.progress(), { state: { kind: 'paused', reason: 'no quota' } });
  });
}
