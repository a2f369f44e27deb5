import type { TestFn } from 'ava';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import { COORDINATOR_WORKER } from '../../../runtime/model/row.ts';
import { claim, handBack, settle } from '../../support/commit-parts.ts';
import {
  back,
  by,
  claimed,
  move,
  type Open,
  outcome,
  row,
  SOME_PLACE,
  SOME_WORKER,
  scanned,
  sole,
  start,
  taken,
  win,
} from '../../support/ledger-start.ts';

export function runSuite(test: TestFn, open: Open): void {
  test('L22: the first place is bound, the same again is, another is refused', async (t) => {
    const ledger = await open(t);
    await win(ledger, 'a');
    t.deepEqual(await ledger.bind(0, SOME_PLACE), { kind: 'bound' });
    t.deepEqual(await ledger.bind(0, SOME_PLACE), { kind: 'bound' });
    t.deepEqual(await ledger.bind(0, { ...SOME_PLACE, placeId: 'other' }), { kind: 'elsewhere', place: SOME_PLACE });
    t.deepEqual(await ledger.bind(0, { ...SOME_PLACE, runId: 'other' }), { kind: 'elsewhere', place: SOME_PLACE });
    t.deepEqual((await scanned(ledger, 0)).place, SOME_PLACE);
  });

  test('L22: nothing is claimed before the place is bound', async (t) => {
    const ledger = await open(t);
    await win(ledger, 'a');
    await t.throwsAsync(claim(ledger, 0, COORDINATOR_WORKER, [{ cursor: 0, count: 1 }]), { instanceOf: AssertionFailed });
  });

  test('L22, L39: an epoch has a tally of what it accepted, from its first accepted outcome on', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
    const accepted = async (): Promise<unknown> => (await ledger.tallies()).map(({ epoch, count }) => [epoch, count]);
    t.deepEqual(await accepted(), []);
    await win(ledger, 'b');
    await win(ledger, 'c');
    await settle(ledger, 2, 'w1', [outcome(0, 9)]);
    t.deepEqual(await accepted(), [], 'a stale outcome does not count');
    await settle(ledger, 2, 'w1', [outcome(0)]);
    await settle(ledger, 2, 'w1', [outcome(1)]);
    await win(ledger, 'd');
    await settle(ledger, 3, 'w1', [outcome(2)]);
    t.deepEqual(await accepted(), [
      [2, 2],
      [3, 1],
    ]);
  });

  test('L9: a worker is known by registration, until it is forgotten', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await ledger.register(by(0), 'w1', { ...SOME_WORKER, bootNonce: 'again' });
    t.deepEqual(await ledger.forget(by(0), 'w2'), { kind: 'forgotten' });
    t.deepEqual(await ledger.forget(by(0), 'never-there'), { kind: 'forgotten' });
    t.deepEqual((await scanned(ledger, 0)).workers, [{ worker: 'w1', info: { ...SOME_WORKER, bootNonce: 'again' } }]);
  });

  test('L38: a forgetting, a pause and a resumption that arrive late, or twice, change nothing', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    const [forgets, registers, pauses, resumes] = [by(0), by(0), by(0), by(0)];
    await ledger.forget(forgets, 'w1');
    await ledger.register(registers, 'w1', { ...SOME_WORKER, bootNonce: 'again' });
    await ledger.pause(pauses, 'why');
    await ledger.resume(resumes);
    const before = await scanned(ledger, 0);
    t.deepEqual(await ledger.forget(forgets, 'w1'), { kind: 'overtaken' });
    t.deepEqual(await ledger.pause(pauses, 'why'), { kind: 'overtaken' });
    t.deepEqual(await ledger.register(registers, 'w1', SOME_WORKER), { kind: 'registered' });
    t.deepEqual(await ledger.resume(resumes), { kind: 'resumed' });
    t.deepEqual(await scanned(ledger, 0), before);
    await ledger.pause(by(0), 'again');
    t.deepEqual(await ledger.resume(resumes), { kind: 'overtaken' });
    t.like(await ledger.progress(), { state: { kind: 'paused', reason: 'again' } });
  });

  test('L9: rows of a forgotten worker keep its name', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w2', [{ cursor: 0, count: 1 }]);
    await ledger.forget(by(0), 'w2');
    await ledger.register(by(0), 'w3', SOME_WORKER);
    await claimed(ledger, 0, 'w3', [{ cursor: 1, count: 1 }]);
    t.deepEqual(
      (await scanned(ledger, 0)).running.map((item) => item.row.worker),
      ['w2', 'w3'],
    );
    t.deepEqual(await settle(ledger, 0, 'w2', [outcome(0)]), { kind: 'settled', verdicts: ['accepted'] });
  });

  test('L31: a worker that is not registered, or no longer, is granted nothing and finds what stands there', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    t.like(await claimed(ledger, 0, 'stranger', [{ cursor: 0, count: 1 }]), { granted: [], found: [], cursor: 0 });
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await handBack(ledger, 0, [back(1, row('w1'))]);
    await ledger.forget(by(0), 'w1');
    const again = await claimed(ledger, 0, 'w1', [
      { cursor: 0, count: 1 },
      { cursor: 2, count: 1 },
      { index: 1, lastAttempt: 1 },
    ]);
    t.like(again, { granted: [], cursor: 2 });
    t.deepEqual(
      again.found.map(({ index, state }) => [index, state]),
      [
        [0, 'running'],
        [1, 'handed-back'],
      ],
    );
    await ledger.register(by(0), 'w1', SOME_WORKER);
    t.like(await claimed(ledger, 0, 'w1', [{ index: 1, lastAttempt: 1 }]), { granted: [{ from: 1, count: 1, attempt: 2 }] });
  });

  test('L16: while paused nothing is claimed, moved or given a second attempt, and what is in flight goes on', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    t.deepEqual(await ledger.pause(by(0), 'no quota'), { kind: 'paused' });
    const state = { kind: 'paused', reason: 'no quota' } as const;
    t.deepEqual(await claim(ledger, 0, 'w1', [{ cursor: 2, count: 1 }]), { kind: 'gone', state });
    const before = await scanned(ledger, 0);
    t.deepEqual(await ledger.reassign(0, [move(0, row('w1'), 'w2')]), { kind: 'gone', state });
    t.deepEqual(await ledger.second(0, 'w2', [sole(0, row('w1'))]), { kind: 'gone', state });
    t.deepEqual(await scanned(ledger, 0), before);
    t.deepEqual(before.progress.state, state);
    t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
    t.like(await handBack(ledger, 0, [back(1, row('w1'))]), { kind: 'returned' });
    t.like(await ledger.restore(0, [taken(1, row('w1'))]), { verdicts: [{ kind: 'restored' }] });
    t.like(await handBack(ledger, 0, [back(1, row('w1'), 'lost', 0, 1)]), { kind: 'returned' });
    t.deepEqual(await ledger.resume(by(0)), { kind: 'resumed' });
    t.like(await claimed(ledger, 0, 'w1', [{ index: 1, lastAttempt: 1 }]), { granted: [{ from: 1, count: 1, attempt: 2 }] });
  });

  test('L16: a run is finished only when every item is terminal, and then nothing is accepted any more', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await settle(ledger, 0, 'w1', [outcome(0), outcome(1, 1, 0, false)]);
    t.like(await ledger.finish(by(0), 3), { kind: 'unfinished', progress: { cursor: 2, done: 1, failed: 1 } });
    t.deepEqual((await ledger.progress()).state, { kind: 'running' });
    t.deepEqual(await ledger.finish(by(0), 2), { kind: 'finished' });
    t.deepEqual(await ledger.finish(by(0), 2), { kind: 'finished' }, 'asked again');
    const gone = { kind: 'gone', state: { kind: 'completed' } } as const;
    t.deepEqual(await claim(ledger, 0, 'w1', [{ cursor: 2, count: 1 }]), gone);
    t.deepEqual(await settle(ledger, 0, 'w1', [outcome(0)]), gone);
    t.deepEqual(await handBack(ledger, 0, [back(0, row('w1'))]), gone);
    t.deepEqual(await ledger.reassign(0, [move(0, row('w1'), 'w2')]), gone);
    t.deepEqual(await ledger.second(0, 'w2', [sole(0, row('w1'))]), gone);
    t.deepEqual(await ledger.restore(0, [taken(0, row('w1'))]), gone);
    t.deepEqual(await ledger.pause(by(0), 'x'), gone);
    t.deepEqual(await ledger.resume(by(0)), gone);
    t.like(await scanned(ledger, 0), { progress: { done: 1, failed: 1 } });
  });

  test('L16: a run with an item in flight or handed back is not finished', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]);
    t.like(await ledger.finish(by(0), 1), { kind: 'unfinished' });
    await handBack(ledger, 0, [back(0, row('w1'))]);
    t.like(await ledger.finish(by(0), 1), { kind: 'unfinished', progress: { handedBack: 1 } });
  });

  test('L16: a run without items is finished at once', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    t.deepEqual(await ledger.finish(by(0), 0), { kind: 'finished' });
  });
}
