import test from 'ava';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import { createMemoryLedger } from '../../../runtime/ledger/memory/ledger.ts';
import { createFaultyLedger } from '../../support/faulty-ledger.ts';
import { candidate, RENEW_MS, setting, TTL_MS } from '../../support/lease-setting.ts';
import { win } from '../../support/ledger-start.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('L42: one that resigned stays resigned, also where a renewal was under way and another has followed by then', async (t) => {
  const inner = createMemoryLedger();
  const clock = new ManualClock();
  const slow = createFaultyLedger(inner, (verb) => (verb === 'renew' ? { holdAfter: clock.sleep(500) } : null));
  const leaseHolder = await candidate({ ledger: slow, clock }, 'a');
  await clock.advance(RENEW_MS);
  const resigning = leaseHolder.resign();
  await win(inner, 'b');
  await clock.advance(1_000);
  await resigning;
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'resigned' });
  t.false(leaseHolder.fenced.aborted);
});

test('L5: a reply of the ledger fences the holder at once and for good; the first one names the successor', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  const heard: unknown[] = [];
  leaseHolder.fenced.addEventListener('abort', () => heard.push(leaseHolder.fenced.reason));
  leaseHolder.fence(4);
  leaseHolder.fence(5);
  t.deepEqual(heard, [{ kind: 'fenced', epoch: 4 }]);
  t.false(leaseHolder.isFresh());
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fenced', epoch: 4 });
});

test('L42: nobody is fenced by an epoch that is not later than his own, nor after a resignation', async (t) => {
  const leaseHolder = await candidate(setting(), 'a');
  for (const byEpoch of [0, -1]) t.throws(() => leaseHolder.fence(byEpoch), { instanceOf: AssertionFailed });
  await leaseHolder.resign();
  leaseHolder.fence(1);
  t.false(leaseHolder.fenced.aborted);
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'resigned' });
});

test('L42: a row that is gone, without a later epoch, is a store that lost writes, and no successor', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  world.clock.jump(TTL_MS * 2);
  const empty = createMemoryLedger();
  world.ledger.renew = (lease, ttlMs) => empty.renew(lease, ttlMs);
  await t.throwsAsync(leaseHolder.ensureFresh(), { code: 'LEDGER_BEHIND', message: /lost the lease of epoch 0/ });
  leaseHolder.stop();
});
