import type { TestFn } from 'ava';
import { claim, handBack, settle } from '../../support/commit-parts.ts';
import {
  back,
  claimed,
  move,
  type Open,
  outcome,
  request,
  row,
  SOME_PLACE,
  SOME_PROCESS,
  SOME_WORKER,
  scanned,
  start,
  win,
} from '../../support/ledger-start.ts';

export function leaseSuite(test: TestFn, open: Open): void {
  test('L1: an empty ledger has no lease, and its first epoch is 0', async (t) => {
    const ledger = await open(t);
    t.is(await ledger.readLease(), null);
    t.is((await ledger.progress()).epoch, -1);
    t.deepEqual(await ledger.acquire(request('a', null)), {
      kind: 'won',
      lease: { holder: 'a', epoch: 0, renewals: 0, untilMs: 0, address: 'a:1', process: SOME_PROCESS },
      killedPid: null,
    });
    t.is((await ledger.progress()).epoch, 0);
  });

  test('L1: release empties the holder, keeps the epoch, and the next wins epoch + 1', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    t.deepEqual(await ledger.release(first), { kind: 'released' });
    t.like(await ledger.readLease(), { holder: '', epoch: 0 });
    t.deepEqual(await ledger.release(first), { kind: 'released' }, 'asked again after a lost reply');
    t.is((await win(ledger, 'b')).epoch, 1);
    t.deepEqual(await ledger.release(first), { kind: 'fenced', epoch: 1 });
    t.like(await ledger.readLease(), { holder: 'b', epoch: 1 }, 'a late release takes nothing from the successor');
  });

  test('L2: asking again under the same nonce answers the epoch already won', async (t) => {
    const ledger = await open(t);
    const lease = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire(request('a', null)), { kind: 'won', lease, killedPid: null });
    t.is((await ledger.progress()).epoch, 0);
  });

  test('L3: a ledger below the floor is refused, with and without a row, and nothing is written', async (t) => {
    const ledger = await open(t);
    t.deepEqual(await ledger.acquire(request('a', null, 4)), { kind: 'behind', epoch: -1, floor: 4 });
    t.is(await ledger.readLease(), null);
    const lease = await win(ledger, 'a');
    t.deepEqual(await ledger.acquire(request('b', lease, 1)), { kind: 'behind', epoch: 0, floor: 1 });
    t.deepEqual(await ledger.readLease(), lease);
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
    const renewed = await ledger.renew(first);
    t.deepEqual(renewed, { kind: 'renewed', lease: { ...first, renewals: 1 } });
    t.deepEqual(await ledger.acquire(request('b', first)), { kind: 'held', lease: { ...first, renewals: 1 } });
    t.like(await ledger.acquire(request('b', { ...first, renewals: 1 })), { kind: 'won', lease: { epoch: 1, renewals: 2 } });
    t.deepEqual(await ledger.renew({ ...first, renewals: 1 }), { kind: 'fenced', epoch: 1 });
  });

  test('L4: renewals only grow, also when a renewal is asked again with the old bytes', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    await ledger.renew(first);
    t.like(await ledger.renew(first), { kind: 'renewed', lease: { renewals: 2 } });
  });

  test('L1: a released lease is not renewed', async (t) => {
    const ledger = await open(t);
    const first = await win(ledger, 'a');
    await ledger.release(first);
    t.deepEqual(await ledger.renew(first), { kind: 'fenced', epoch: 0 });
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
    t.deepEqual(await ledger.second(0, 'w2', [{ index: 0, row: row('w1') }]), fenced);
    t.deepEqual(await ledger.restore(0, [{ index: 0, row: row('w1') }]), fenced);
    t.deepEqual(await ledger.look(0, [{ index: 0, row: row('w1') }]), fenced);
    t.deepEqual(await ledger.register(0, 'w3', SOME_WORKER), fenced);
    t.deepEqual(await ledger.forget(0, 'w1'), fenced);
    t.deepEqual(await ledger.pause(0, 'x'), fenced);
    t.deepEqual(await ledger.resume(0), fenced);
    t.deepEqual(await ledger.finish(0, 2), fenced);
    t.deepEqual(await ledger.reopen(0, { pending: [0], own: [], tallies: [] }), fenced);
    t.deepEqual(await ledger.scan(0), fenced);
    t.deepEqual(await scanned(ledger, 1), before);
  });

  test('L5: an epoch that the ledger does not know any more is an error, not a refusal', async (t) => {
    const ledger = await open(t);
    await start(ledger);
    await t.throwsAsync(settle(ledger, 1, 'w1', []), { code: 'LEDGER_BEHIND' });
  });
}
