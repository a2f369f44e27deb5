import type { TestFn } from 'ava';
import { claim, handBack, settle } from '../../support/commit-parts.ts';
import {
  back,
  by,
  claimed,
  move,
  type Open,
  outcome,
  request,
  row,
  SOME_PLACE,
  SOME_PROCESS,
  SOME_TTL_MS,
  SOME_WORKER,
  scanned,
  sole,
  start,
  taken,
  win,
} from '../../support/ledger-start.ts';

export function leaseSuite(test: TestFn, open: Open): void {
  test('L1: an empty ledger has no lease, and its first epoch is 0', async (t) => {
    const ledger = await open(t);
    t.is((await ledger.readLease()).lease, null);
    t.is((await ledger.progress()).epoch, -1);
    t.like(await ledger.acquire(request('a', null)), {
      kind: 'won',
      lease: { holder: 'a', epoch: 0, renewals: 0, address: 'a:1', process: SOME_PROCESS },
    });
    t.is((await ledger.progress()).epoch, 0);
  });

  test('L1: release empties the holder, keeps the epoch, and the next wins epoch + 1', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    t.deepEqual(await ledger.release(first), { kind: 'released' });
    t.like((await ledger.readLease()).lease, { holder: '', epoch: 0 });
    t.deepEqual(await ledger.release(first), { kind: 'released' }, 'asked again after a lost reply');
    t.is((await win(ledger, 'b')).epoch, 1);
    t.deepEqual(await ledger.release(first), { kind: 'fenced', epoch: 1 });
    t.like((await ledger.readLease()).lease, { holder: 'b', epoch: 1 }, 'a late release takes nothing from the successor');
  });

  test('L2: asking again under the same nonce answers the epoch already won', async (t) => {
    const ledger = await open(t);
    const lease = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire(request('a', null)), { kind: 'won', lease });
    t.is((await ledger.progress()).epoch, 0);
  });

  test('L3: a ledger below the floor is refused, with and without a row, and nothing is written', async (t) => {
    const ledger = await open(t);
    t.deepEqual(await ledger.acquire(request('a', null, 4)), { kind: 'behind', epoch: -1, floor: 4 });
    t.is((await ledger.readLease()).lease, null);
    const lease = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire(request('b', lease, 1)), { kind: 'behind', epoch: 0, floor: 1 });
    t.deepEqual((await ledger.readLease()).lease, lease);
    t.is((await win(ledger, 'b', 0)).epoch, 1, 'at the floor it goes on');
  });

  test('L3: a ledger without the row that the candidate saw is behind', async (t) => {
    const ledger = await open(t);
    const seen = { holder: 'x', epoch: 3, renewals: 9, untilMs: 0, address: 'x:1', process: SOME_PROCESS };
    t.deepEqual(await ledger.acquire(request('a', seen)), { kind: 'behind', epoch: -1, floor: 3 });
  });

  test('L4: only the exact bytes that the candidate saw are replaced', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire(request('b', null)), { kind: 'held', lease: first });
    const renewed = await ledger.renew(first, SOME_TTL_MS);
    t.like(renewed, { kind: 'renewed', lease: { holder: 'a', epoch: 0, renewals: 1 } });
    t.like(await ledger.acquire(request('b', first)), { kind: 'held', lease: { holder: 'a', renewals: 1 } });
    t.like(await ledger.acquire(request('b', { ...first, renewals: 1 })), { kind: 'won', lease: { epoch: 1, renewals: 2 } });
    t.deepEqual(await ledger.renew({ ...first, renewals: 1 }, SOME_TTL_MS), { kind: 'fenced', epoch: 1 });
  });

  test('L4, L38: a renewal names its count: asked again, or carried out late, it answers what is there and extends nothing', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    const once = await ledger.renew(first, SOME_TTL_MS);
    t.like(once, { kind: 'renewed', lease: { renewals: 1 } });
    t.deepEqual(await ledger.renew(first, SOME_TTL_MS), once);
    await ledger.renew({ ...first, renewals: 1 }, SOME_TTL_MS);
    const before = (await ledger.readLease()).lease;
    t.deepEqual(await ledger.renew(first, SOME_TTL_MS), { kind: 'renewed', lease: before });
    t.deepEqual((await ledger.readLease()).lease, before);
    await t.throwsAsync(ledger.renew({ ...first, renewals: 9 }, SOME_TTL_MS), { code: 'LEDGER_LOST_WRITES' });
  });

  test('L4: without grounds of its own a candidate wins a free lease, and none that is held', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire({ ...request('b', first), grounds: null }), { kind: 'held', lease: first });
    await ledger.release(first);
    const { lease: released } = await ledger.readLease();
    t.like(await ledger.acquire({ ...request('b', released), grounds: null }), { kind: 'won', lease: { epoch: 1 } });
  });

  test('L1: a released lease is not renewed', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    await ledger.release(first);
    t.deepEqual(await ledger.renew(first, SOME_TTL_MS), { kind: 'fenced', epoch: 0 });
  });

  test('L5: every verb under an old epoch answers fenced and changes nothing', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
    await win(ledger, 'second');
    const before = await scanned(ledger, 1);
    const fenced = { kind: 'fenced', epoch: 1 } as const;
    t.deepEqual(await ledger.bind(0, { ...SOME_PLACE, placeId: 'other' }), fenced);
    t.deepEqual(await claim(ledger, 0, 'w1', [{ cursor: 2, count: 1 }]), fenced);
    t.deepEqual(await settle(ledger, 0, 'w1', [outcome(0)]), fenced);
    t.deepEqual(await handBack(ledger, 0, [back(0, row('w1'))]), fenced);
    t.deepEqual(await ledger.reassign(0, [move(0, row('w1'), 'w2')]), fenced);
    t.deepEqual(await ledger.second(0, 'w2', [sole(0, row('w1'))]), fenced);
    t.deepEqual(await ledger.restore(0, [taken(0, row('w1'))]), fenced);
    t.deepEqual(await ledger.look(0, [{ index: 0, row: row('w1') }]), fenced);
    t.deepEqual(await ledger.register(by(0), 'w3', SOME_WORKER), fenced);
    t.deepEqual(await ledger.forget(by(0), 'w1'), fenced);
    t.deepEqual(await ledger.pause(by(0), 'x'), fenced);
    t.deepEqual(await ledger.resume(by(0)), fenced);
    t.deepEqual(await ledger.finish(by(0), 2), fenced);
    t.deepEqual(await ledger.reopen(by(0), { pending: [0], own: [], tallies: [] }), fenced);
    t.deepEqual(await ledger.scan(0), fenced);
    t.deepEqual(await scanned(ledger, 1), before);
  });

  test('L5: an epoch that the ledger does not know any more is an error, not a refusal', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await t.throwsAsync(settle(ledger, 1, 'w1', []), { code: 'LEDGER_BEHIND' });
  });
}
