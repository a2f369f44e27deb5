import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { CallFailed } from '../../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../../runtime/ledger/memory/ledger.ts';
import { candidate, RENEW_MS, setting } from '../../support/lease-setting.ts';

/** The lease on a store that is wiped, is restored from a copy, refuses, or gives no answer. */

test('L3: the floor is asked for before each try, so a store that was wiped meanwhile gives no epoch a second time', async (t) => {
  const world = setting();
  (await candidate(world, 'a')).stop();
  let [floor, ledger] = [-1, world.ledger];
  const replaceable = new Proxy(world.ledger, { get: (_, verb: keyof Ledger) => ledger[verb] });
  const waiting = candidate({ ...world, ledger: replaceable }, 'b', { floor: async () => floor });
  waiting.catch(() => undefined);
  await world.clock.advance(RENEW_MS);
  // The holder has left its mark, and the store is empty.
  [floor, ledger] = [0, createMemoryLedger()];
  await world.clock.advance(RENEW_MS);
  await t.throwsAsync(waiting, { code: 'LEDGER_BEHIND', message: /is empty.*epoch 0/ });
  t.is((await ledger.readLease()).lease, null);
});

test('L3: an epoch that this process has seen in the store is not won again, whatever is known outside', async (t) => {
  const world = setting();
  await (await candidate(world, 'a')).resign();
  const held = await candidate(world, 'b');
  let ledger = world.ledger;
  const replaceable = new Proxy(world.ledger, { get: (_, verb: keyof Ledger) => ledger[verb] });
  const waiting = candidate({ ...world, ledger: replaceable }, 'c');
  waiting.catch(() => undefined);
  await world.clock.advance(RENEW_MS);
  held.stop();
  // A copy of before the second win.
  ledger = createMemoryLedger();
  await (await candidate({ ...world, ledger }, 'a')).resign();
  await world.clock.advance(RENEW_MS);
  await t.throwsAsync(waiting, { code: 'LEDGER_BEHIND', message: /is at epoch 0, but epoch 1/ });
});

const FULL = new CallFailed('not-executed', 'OOM command not allowed');

test('a store that refuses the lease which nobody holds is asked for a minute; then the candidate ends with the cause', async (t) => {
  const inner = createMemoryLedger();
  const world = setting({ ...inner, acquire: () => Promise.reject(FULL) });
  let told: Error | null = null;
  candidate(world, 'a').catch((error: Error) => {
    told = error;
  });
  await world.clock.advance(55_000);
  t.is(told, null);
  await world.clock.advance(10_000);
  t.like(told, { code: 'STORE_FAILED', cause: FULL });
  t.regex(String(told), /nobody holds the lease.*OOM/);
});

test('while somebody holds the lease, a candidate waits for a silent store as long as it takes', async (t) => {
  const inner = createMemoryLedger();
  let isAway = false;
  const world = setting({ ...inner, readLease: async () => (isAway ? Promise.reject(FULL) : inner.readLease()) });
  const first = await candidate(world, 'a');
  const second = candidate(world, 'b');
  await world.clock.advance(RENEW_MS);
  isAway = true;
  await world.clock.advance(200_000);
  isAway = false;
  await first.resign();
  await world.clock.advance(100);
  (await second).stop();
  t.is((await second).lease().epoch, 1);
});

test('L40: a holder whose renewal finds that the store has lost the lease says so at once, and asks no more', async (t) => {
  let ledger = createMemoryLedger();
  let renewals = 0;
  const replaceable = new Proxy(ledger, {
    get: (_, verb: keyof Ledger) => {
      if (verb === 'renew') renewals += 1;
      return ledger[verb];
    },
  });
  const world = setting(replaceable);
  const leaseHolder = await candidate(world, 'a');
  await world.clock.advance(RENEW_MS);
  t.false(leaseHolder.broken.aborted);
  ledger = createMemoryLedger();
  await world.clock.advance(RENEW_MS * 5);
  t.true(leaseHolder.broken.reason instanceof RolloutError);
  t.like(leaseHolder.broken.reason, { code: 'LEDGER_BEHIND' });
  t.false(leaseHolder.fenced.aborted, 'L42: nobody has taken over');
  t.is(renewals, 2);
});
