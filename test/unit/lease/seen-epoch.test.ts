import test from 'ava';
import type { LeaseHolder } from '../../../runtime/lease/contract.ts';
import { createMemoryLedger } from '../../../runtime/ledger/memory/ledger.ts';
import { candidate, RENEW_MS, setting, TTL_MS } from '../../support/lease-setting.ts';

test('L3: each look tells the epoch that it saw, and the lease is not asked for before that is kept', async (t) => {
  const world = setting();
  const held = await candidate(world, 'a');
  const seen: number[] = [];
  let isKept = false;
  let keep = (): void => undefined;
  const onSeen = (epoch: number): Promise<void> => {
    seen.push(epoch);
    return isKept ? Promise.resolve() : new Promise((resolve) => (keep = resolve));
  };
  const waiting = candidate(world, 'b', { onSeen });
  await world.clock.advance(RENEW_MS);
  t.deepEqual(seen, [0]);
  await held.resign();
  await world.clock.advance(TTL_MS * 2);
  t.is((await world.ledger.readLease()).lease?.epoch, 0, 'nothing is won meanwhile');
  isKept = true;
  keep();
  await world.clock.advance(RENEW_MS);
  (await waiting).stop();
  t.deepEqual([...new Set(seen)], [0]);
  t.is((await waiting).lease().epoch, 1);
});

test('L3: an epoch that another candidate won first is told as well; where there is no row nothing is', async (t) => {
  const inner = createMemoryLedger();
  const seen: number[] = [];
  const onSeen = async (epoch: number): Promise<void> => void seen.push(epoch);
  // Between its look and its try somebody is quicker.
  let quicker: LeaseHolder | null = null;
  const world = setting({
    ...inner,
    acquire: async (request) => {
      if (request.holder === 'b' && quicker === null) quicker = await candidate({ ledger: inner, clock: world.clock }, 'a');
      return inner.acquire(request);
    },
  });
  const stop = new AbortController();
  const waiting = candidate(world, 'b', { onSeen, signal: stop.signal });
  await world.clock.advance(0);
  t.deepEqual(seen, [0]);
  stop.abort(new Error('enough'));
  await world.clock.advance(100);
  await t.throwsAsync(waiting, { message: 'enough' });
});
