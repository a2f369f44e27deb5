import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { acquire, release, renew } from '../../../../runtime/ledger/rules/lease.ts';
import type { Lease } from '../../../../runtime/model/lease.ts';
import { rowsOf } from '../../../support/ledger-rows.ts';
import { request, SOME_PROCESS } from '../../../support/ledger-start.ts';

const lease = (more: Partial<Lease> = {}): Lease => ({
  holder: 'a',
  epoch: 3,
  renewals: 5,
  untilMs: 0,
  address: 'a:1',
  process: SOME_PROCESS,
  ...more,
});

test('L3: the winner writes lease and epoch together', (t) => {
  const { reply, writes } = acquire(rowsOf({ lease: lease(), head: { cursor: 9, done: 9 } }), request('b', lease()), null);
  const won = lease({ holder: 'b', epoch: 4, renewals: 6, address: 'b:1' });
  t.deepEqual(reply, { kind: 'won', lease: won });
  t.deepEqual(writes?.lease, won);
  t.like(writes?.head, { epoch: 4, cursor: 9, done: 9 }, 'all else stays as it was');
});

test('L1: epoch 0 only where neither row exists', (t) => {
  t.like(acquire(rowsOf({ head: null }), request('a', null), null), {
    reply: { kind: 'won', lease: { epoch: 0 } },
    writes: { head: { epoch: 0 } },
  });
});

test('L3: lease and epoch that differ are a damaged store', (t) => {
  t.throws(() => acquire(rowsOf({ lease: lease({ epoch: 2 }) }), request('b', null), null), { code: 'LEDGER_CORRUPT' });
  t.throws(() => acquire(rowsOf({ lease: null }), request('b', null), null), { code: 'LEDGER_CORRUPT' });
});

test('L4: any difference in the bytes refuses, and writes nothing', (t) => {
  for (const other of [{ renewals: 4 }, { holder: 'x' }, { epoch: 2 }]) {
    const { reply, writes } = acquire(rowsOf({ lease: lease() }), request('b', lease(other)), null);
    t.deepEqual(reply, { kind: 'held', lease: lease() });
    t.is(writes, null);
  }
});

test('L2: an empty holder never acquires', (t) => {
  t.throws(() => acquire(rowsOf({ head: null }), request('', null), null), { instanceOf: AssertionFailed });
});

test('renew and release touch only the holder’s own row of its own epoch', (t) => {
  const rows = rowsOf({ lease: lease() });
  t.deepEqual(renew(rows, lease(), 5_000, null).writes, { lease: lease({ renewals: 6 }) });
  t.deepEqual(release(rows, lease()).writes, { lease: lease({ holder: '', renewals: 6 }) });
  for (const other of [lease({ holder: 'x' }), lease({ epoch: 2 })]) {
    t.deepEqual(renew(rows, other, 5_000, null), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
    t.deepEqual(release(rows, other), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
  }
  t.deepEqual(renew(rowsOf({ lease: null }), lease(), 5_000, null).reply, { kind: 'fenced', epoch: -1 });
});

test('L4: a store with a clock says until when, and lets a lease be taken when its own clock is past that', (t) => {
  const held = lease({ untilMs: 9_000 });
  const without = { ...request('b', held), grounds: null, ttlMs: 500 };
  t.like(acquire(rowsOf({ lease: held }), without, 8_999), { reply: { kind: 'held' }, writes: null });
  t.like(acquire(rowsOf({ lease: held }), without, 9_000), { reply: { kind: 'won', lease: { untilMs: 9_500 } } });
  t.like(acquire(rowsOf({ lease: held }), without, null), { reply: { kind: 'held' }, writes: null });
  t.like(renew(rowsOf({ lease: held }), held, 500, 8_800).writes, { lease: { renewals: 6, untilMs: 9_300 } });
});
