import test from 'ava';
import type { Claimed, CommitRequest, Pick } from '../../../../runtime/ledger/contract.ts';
import { type CommitPart, joined, MOST_UNITS, partsOf, slicesOf } from '../../../../runtime/ledger/redis/commit-parts.ts';
import { back, row } from '../../../support/ledger-start.ts';

const NONE: CommitRequest = { settles: [], handBacks: [], claims: [] };

const settle = (index: number, attempt = 1) => ({ index, row: row('w1', attempt), isResult: true });
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const sizes = (parts: readonly CommitPart[]) => parts.map((one) => [one.settles.length, one.handBacks.length, one.claims.length]);

test('a small commit is one part, and so is an empty one', (t) => {
  t.deepEqual(partsOf(NONE), [{ ...NONE, places: [] }]);
  const request: CommitRequest = {
    settles: [settle(0), settle(9, 2)],
    handBacks: [back(1, row('w1'))],
    claims: [
      { worker: 'w1', picks: [{ cursor: 10, count: 5 }] },
      { worker: 'w2', picks: [] },
      { worker: 'w1', picks: [{ index: 1, lastAttempt: 1 }] },
    ],
  };
  t.deepEqual(partsOf(request), [{ ...request, places: [0, 1, 2] }]);
});

test('items that lie apart, or have a history, count whole; neighbours of a first attempt count less', (t) => {
  t.deepEqual(sizes(partsOf({ ...NONE, settles: times(MOST_UNITS + 1, (n) => settle(n * 32)) })), [
    [MOST_UNITS, 0, 0],
    [1, 0, 0],
  ]);
  t.is(partsOf({ ...NONE, settles: times(MOST_UNITS + 1, (n) => settle(n, 2)) }).length, 2);
  t.is(partsOf({ ...NONE, settles: times(6 * MOST_UNITS, (n) => settle(n)) }).length, 1);
  t.is(partsOf({ ...NONE, settles: times(8 * MOST_UNITS, (n) => settle(n)) }).length, 2);
});

test('the order of a commit is kept across its parts', (t) => {
  const request: CommitRequest = {
    settles: times(300, (n) => settle(n * 32)),
    handBacks: times(300, (n) => back(n, row('w1'))),
    claims: times(300, (n) => ({ worker: `w${n}`, picks: [{ index: n, lastAttempt: 1 }] })),
  };
  const parts = partsOf(request);
  t.true(parts.length >= 4);
  t.deepEqual(
    parts.flatMap((one) => one.settles),
    request.settles,
  );
  t.deepEqual(
    parts.flatMap((one) => one.handBacks),
    request.handBacks,
  );
  const kinds = parts.flatMap((one) => [
    ...(one.settles.length > 0 ? ['settles'] : []),
    ...(one.handBacks.length > 0 ? ['handBacks'] : []),
    ...(one.claims.length > 0 ? ['claims'] : []),
  ]);
  t.deepEqual(
    kinds,
    kinds.toSorted((a, b) => ['settles', 'handBacks', 'claims'].indexOf(a) - ['settles', 'handBacks', 'claims'].indexOf(b)),
  );
  const picks = new Map<number, Pick[]>();
  for (const { claims, places } of parts)
    for (const [n, place] of places.entries()) picks.set(place, [...(picks.get(place) ?? []), ...(claims[n]?.picks ?? [])]);
  t.deepEqual(
    [...picks.values()],
    request.claims.map((one) => one.picks),
  );
});

test('a pick of many fresh items is cut, and its answers are one', (t) => {
  const parts = partsOf({ ...NONE, claims: [{ worker: 'w1', picks: [{ cursor: 7, count: 2_500 }] }] });
  const picks = parts.flatMap((one) => one.claims.flatMap((claim) => claim.picks));
  t.deepEqual(picks, [
    { cursor: 7, count: 1_024 },
    { cursor: 1_031, count: 1_024 },
    { cursor: 2_055, count: 452 },
  ]);
  t.true(parts.every(({ places }) => places.every((place) => place === 0)));
  const first: Claimed = { kind: 'claimed', granted: [{ from: 7, count: 1_024, attempt: 1 }], found: [], cursor: 1_031 };
  const second: Claimed = { kind: 'claimed', granted: [], found: [{ index: 1_031, state: 'done' }], cursor: 2_055 };
  t.deepEqual(joined(undefined, first), first);
  t.deepEqual(joined(first, second), { ...second, granted: first.granted });
  t.is(joined(first, { kind: 'gone', state: { kind: 'completed' } }).kind, 'gone');
  t.is(joined({ kind: 'gone', state: { kind: 'completed' } }, second).kind, 'gone');
});

test('rows are cut into slices, at least one', (t) => {
  t.deepEqual(slicesOf([]), [[]]);
  t.deepEqual(
    slicesOf(times(MOST_UNITS + 3, (n) => n)).map((slice) => slice.length),
    [MOST_UNITS, 3],
  );
});
