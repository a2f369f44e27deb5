import test from 'ava';
import {
  groundsToAcquire,
  type Holding,
  isOver,
  onFenced,
  onRenewed,
  onResign,
  onSeen,
  onTick,
  onWon,
  ownGrounds,
} from '../../../runtime/lease/machine.ts';
import type { Lease } from '../../../runtime/model/lease.ts';
import { SOME_PROCESS } from '../../support/ledger-start.ts';

const TERMS = { ttlMs: 5_000, marginMs: 500 };
const lease = (renewals = 0, holder = 'a'): Lease => ({ holder, epoch: 3, renewals, untilMs: 0, address: 'a:1', process: SOME_PROCESS });
const held = onWon(lease(), 1_000, TERMS);

test('L4: the same bytes are counted from when they were first seen, other bytes again', (t) => {
  const first = onSeen(null, 100, { lease: lease(1), nowMs: null });
  t.deepEqual(first, { seen: lease(1), sinceMs: 100, storeNowMs: null });
  t.deepEqual(onSeen(first, 900, { lease: lease(1), nowMs: 7 }), { seen: lease(1), sinceMs: 100, storeNowMs: 7 });
  t.deepEqual(onSeen(first, 900, { lease: lease(2), nowMs: null }), { seen: lease(2), sinceMs: 900, storeNowMs: null });
  t.deepEqual(onSeen(first, 900, { lease: null, nowMs: null }), { seen: null, sinceMs: 900, storeNowMs: null });
});

test('L4: grounds to acquire', (t) => {
  const cases: [Lease | null, number, boolean, ReturnType<typeof groundsToAcquire>][] = [
    [null, 0, false, 'free'],
    [lease(1, ''), 0, false, 'free'],
    [lease(1, ''), 0, true, 'free'],
    [lease(), 0, false, null],
    [lease(), 4_999, false, null],
    [lease(), 5_000, false, 'watched'],
    [lease(), 0, true, 'dead'],
    [lease(), 9_000, true, 'dead'],
  ];
  for (const [seen, sinceMs, isDead, grounds] of cases) {
    t.is(
      groundsToAcquire({ seen, sinceMs: 1_000, storeNowMs: null }, 1_000 + sinceMs, TERMS.ttlMs, isDead),
      grounds,
      JSON.stringify([seen?.holder, sinceMs]),
    );
  }
});

test('L4: an expiry on the store’s clock is for the store to judge; what the candidate knows itself it says', (t) => {
  const seen = { ...lease(), untilMs: 700 };
  t.is(groundsToAcquire({ seen, sinceMs: 0, storeNowMs: 699 }, 1, TERMS.ttlMs, false), null);
  t.is(groundsToAcquire({ seen, sinceMs: 0, storeNowMs: 700 }, 1, TERMS.ttlMs, false), 'expired');
  t.deepEqual((['free', 'expired', 'dead', 'watched'] as const).map(ownGrounds), [null, null, 'dead', 'watched']);
});

test('a lease is fresh until its margin, counted from before it was asked for', (t) => {
  t.is(onTick(held, 5_499), held);
  t.deepEqual(onTick(held, 5_500), { kind: 'paused', lease: lease() });
});

test('a holder stops trusting its lease before any candidate may take it by expiry', (t) => {
  // The bytes are written after the request was sent, and seen after they were written.
  const sentAtMs = 1_000;
  for (const seenAtMs of [sentAtMs, sentAtMs + 1, sentAtMs + 700]) {
    const takenAtMs = seenAtMs + TERMS.ttlMs;
    t.is(groundsToAcquire({ seen: lease(), sinceMs: seenAtMs, storeNowMs: null }, takenAtMs, TERMS.ttlMs, false), 'watched');
    t.is(onTick(onWon(lease(), sentAtMs, TERMS), takenAtMs - TERMS.marginMs).kind, 'paused');
  }
});

test('a renewal makes a paused holder go on under the same epoch, as good as its own age', (t) => {
  const paused = onTick(held, 9_000);
  t.deepEqual(onRenewed(paused, lease(1), 9_000, TERMS), { kind: 'held', lease: lease(1), freshUntilMs: 13_500 });
  const late = onRenewed(paused, lease(1), 9_000, TERMS);
  t.is(onTick(late, 14_000).kind, 'paused', 'a reply that took longer than the lease is worth nothing');
});

test('every event in every state: nothing leads back from fenced or resigned', (t) => {
  const states = {
    held,
    paused: { kind: 'paused', lease: lease() },
    fenced: { kind: 'fenced', lease: lease(), byEpoch: 7 },
    resigned: { kind: 'resigned', lease: lease() },
  } satisfies Record<Holding['kind'], Holding>;
  const events: Record<string, (state: Holding) => Holding> = {
    tick: (state) => onTick(state, 99_000),
    renewed: (state) => onRenewed(state, lease(1), 2_000, TERMS),
    fenced: (state) => onFenced(state, 9),
    resign: (state) => onResign(state),
  };
  const table: Record<Holding['kind'], Record<string, Holding['kind']>> = {
    held: { tick: 'paused', renewed: 'held', fenced: 'fenced', resign: 'resigned' },
    paused: { tick: 'paused', renewed: 'held', fenced: 'fenced', resign: 'resigned' },
    fenced: { tick: 'fenced', renewed: 'fenced', fenced: 'fenced', resign: 'fenced' },
    resigned: { tick: 'resigned', renewed: 'resigned', fenced: 'resigned', resign: 'resigned' },
  };
  for (const [kind, state] of Object.entries(states)) {
    for (const [event, act] of Object.entries(events)) {
      const after = act(state);
      t.is<string | undefined, string | undefined>(after.kind, table[state.kind][event], `${event} in ${kind}`);
      if (isOver(state)) t.is(after, state);
    }
  }
});
