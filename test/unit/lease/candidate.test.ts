import test from 'ava';
import type { ProcessIdentity } from '../../../runtime/base/process/process-identity.ts';
import type { LeaseHolder } from '../../../runtime/lease/contract.ts';
import { createMemoryLedger } from '../../../runtime/ledger/memory/ledger.ts';
import type { Lease } from '../../../runtime/model/lease.ts';
import { createFaultyLedger, InjectedFault } from '../../support/faulty-ledger.ts';
import { candidate, RENEW_MS, setting, TTL_MS } from '../../support/lease-setting.ts';
import { SOME_PROCESS, win } from '../../support/ledger-start.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('L1: where nobody ever held it, the lease is won at once under epoch 0', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  t.is(leaseHolder.lease().epoch, 0);
  t.deepEqual(leaseHolder.won, { kind: 'acquired' });
  t.true(leaseHolder.isFresh());
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fresh' });
  leaseHolder.stop();
});

test('the lease is renewed a third of its time apart and stays fresh', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  for (let round = 1; round <= 10; round += 1) {
    await world.clock.advance(RENEW_MS);
    t.is((await world.ledger.readLease()).lease?.renewals, round);
    t.true(leaseHolder.isFresh());
  }
  leaseHolder.stop();
  await world.clock.advance(RENEW_MS * 5);
  t.is((await world.ledger.readLease()).lease?.renewals, 10, 'stopped, it renews no more');
  t.false(leaseHolder.isFresh());
});

test('L4: a candidate waits while the holder renews, and takes over a whole TTL after the last renewal it saw', async (t) => {
  const world = setting();
  const first = await candidate(world, 'a');
  const passive: Lease[] = [];
  let second: LeaseHolder | null = null;
  const waiting = candidate(world, 'b', { onPassive: (lease) => passive.push(lease) }).then((leaseHolder) => {
    second = leaseHolder;
  });
  await world.clock.advance(TTL_MS * 3);
  t.is(second, null);
  t.deepEqual(
    passive.map((lease) => lease.holder),
    ['a'],
    'told once for each holder',
  );
  first.stop();
  await world.clock.advance(TTL_MS - RENEW_MS);
  t.is(second, null);
  await world.clock.advance(RENEW_MS + 200);
  await waiting;
  const leaseHolder = second as LeaseHolder | null;
  t.is(leaseHolder?.lease().epoch, 1);
  t.deepEqual(leaseHolder?.won, { kind: 'stolen' });
  leaseHolder?.stop();
});

test('L4: the certain death of the holder lets a candidate follow at once', async (t) => {
  const world = setting();
  const first = await candidate(world, 'a');
  const asked: ProcessIdentity[] = [];
  let isDead = false;
  const second = candidate(world, 'b', {
    isDead: async (named) => {
      asked.push(named);
      return isDead;
    },
  });
  await world.clock.advance(500);
  isDead = true;
  first.stop();
  await world.clock.advance(100);
  const leaseHolder = await second;
  t.is(leaseHolder.lease().epoch, 1);
  t.is(leaseHolder.won.kind, 'stolen');
  t.deepEqual(asked[0], SOME_PROCESS);
  leaseHolder.stop();
});

test('L1: a resignation keeps the epoch, and the next follows at once with epoch + 1', async (t) => {
  const world = setting();
  const first = await candidate(world, 'a');
  const second = candidate(world, 'b');
  await world.clock.advance(200);
  const resigning = first.resign();
  t.false(first.isFresh(), 'not a holder before the ledger has heard of it');
  t.deepEqual(await first.ensureFresh(), { kind: 'resigned' }, 'L42: and not fenced, since nobody has followed');
  await resigning;
  t.like((await world.ledger.readLease()).lease, { holder: '', epoch: 0 });
  await world.clock.advance(100);
  const leaseHolder = await second;
  t.is(leaseHolder.lease().epoch, 1);
  t.is(leaseHolder.won.kind, 'acquired');
  leaseHolder.stop();
});

test('a paused holder whose bytes are still there goes on under the same epoch, after exactly one renewal', async (t) => {
  const inner = createMemoryLedger();
  let renewals = 0;
  const world = setting(
    createFaultyLedger(inner, (verb) => {
      if (verb === 'renew') renewals += 1;
      return null;
    }),
  );
  const leaseHolder = await candidate(world, 'a');
  world.clock.jump(TTL_MS * 2);
  t.false(leaseHolder.isFresh());
  const answers = await Promise.all([leaseHolder.ensureFresh(), leaseHolder.ensureFresh(), leaseHolder.ensureFresh()]);
  t.deepEqual(answers, [{ kind: 'fresh' }, { kind: 'fresh' }, { kind: 'fresh' }]);
  t.is(renewals, 1);
  t.is(leaseHolder.lease().epoch, 0);
  t.true(leaseHolder.isFresh());
  leaseHolder.stop();
});

test('a paused holder that was followed is fenced, for good, and its signal says by whom', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  world.clock.jump(TTL_MS * 2);
  await win(world.ledger, 'b');
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fenced', epoch: 1 });
  t.deepEqual(leaseHolder.fenced.reason, { kind: 'fenced', epoch: 1 });
  t.false(leaseHolder.isFresh());
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fenced', epoch: 1 });
  await leaseHolder.resign();
  t.like((await world.ledger.readLease()).lease, { holder: 'b', epoch: 1 }, 'it resigns nothing that is not its own');
});

test('a paused holder whose lease was released by a successor’s end is fenced too', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  world.clock.jump(TTL_MS * 2);
  await world.ledger.release(await win(world.ledger, 'b'));
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fenced', epoch: 1 });
});

test('a holder that is fenced while it runs is told by the next renewal', async (t) => {
  const world = setting();
  const leaseHolder = await candidate(world, 'a');
  await win(world.ledger, 'b');
  await world.clock.advance(RENEW_MS);
  t.deepEqual(leaseHolder.fenced.reason, { kind: 'fenced', epoch: 1 });
  t.false(leaseHolder.isFresh());
});

test('a renewal of unknown fate is tried again while the margin lasts', async (t) => {
  const failures: unknown[] = [];
  const inner = createMemoryLedger();
  const faults = ['fail-after', 'fail-before', 'fail-after'] as const;
  const world = setting(createFaultyLedger(inner, (verb, call) => (verb === 'renew' ? (faults[call - 1] ?? null) : null)));
  const leaseHolder = await candidate(world, 'a', { onRenewFailed: (error) => failures.push(error) });
  await world.clock.advance(RENEW_MS * 2);
  t.true(leaseHolder.isFresh());
  t.is(failures.length, 3);
  await world.clock.advance(TTL_MS);
  t.true(leaseHolder.isFresh());
  leaseHolder.stop();
});

test('past its margin a holder that cannot ask the store lets nobody write', async (t) => {
  const world = setting(createFaultyLedger(createMemoryLedger(), (verb) => (verb === 'renew' ? 'fail-before' : null)));
  const leaseHolder = await candidate(world, 'a');
  t.true(leaseHolder.isFresh());
  await world.clock.advance(TTL_MS);
  t.false(leaseHolder.isFresh());
  await t.throwsAsync(leaseHolder.ensureFresh(), { instanceOf: InjectedFault });
  leaseHolder.stop();
});

test('the time that winning took counts against the lease', async (t) => {
  const clock = new ManualClock();
  const slow = createFaultyLedger(createMemoryLedger(), (verb) => (verb === 'acquire' ? { holdAfter: clock.sleep(TTL_MS) } : null));
  const winning = candidate({ ledger: slow, clock }, 'a');
  await clock.advance(TTL_MS);
  const leaseHolder = await winning;
  t.false(leaseHolder.isFresh());
  t.deepEqual(await leaseHolder.ensureFresh(), { kind: 'fresh' });
  leaseHolder.stop();
});

test('L4: of two candidates that see the same expired lease one wins, the other waits', async (t) => {
  const world = setting();
  (await candidate(world, 'a')).stop();
  const won: LeaseHolder[] = [];
  for (const name of ['b', 'c']) candidate(world, name).then((leaseHolder) => won.push(leaseHolder), t.fail);
  await world.clock.advance(TTL_MS * 2);
  t.deepEqual(
    won.map((leaseHolder) => leaseHolder.lease().epoch),
    [1],
  );
  for (const leaseHolder of won) leaseHolder.stop();
});

test('L3: a ledger behind the floor is refused with both numbers', async (t) => {
  const error = await t.throwsAsync(candidate(setting(), 'a', { floor: async () => 4 }), { code: 'LEDGER_BEHIND' });
  t.regex(error?.message ?? '', /is empty.*epoch 4.*twice/s);
});

test('a candidate whose signal aborts gives up with its reason', async (t) => {
  const world = setting();
  const first = await candidate(world, 'a');
  const stop = new AbortController();
  const waiting = candidate(world, 'b', { signal: stop.signal });
  await world.clock.advance(200);
  stop.abort(new Error('asked to end'));
  await world.clock.advance(0);
  await t.throwsAsync(waiting, { message: 'asked to end' });
  first.stop();
});
