import test from 'ava';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { committedOf } from '../../../../runtime/ledger/redis/commit-reply.ts';
import { NameBook } from '../../../../runtime/ledger/redis/names.ts';
import { row } from '../../../support/ledger-start.ts';

const REQUEST = { settles: [], handBacks: [], claims: [{ worker: 'w1', picks: [] }] };

test('hand-backs and claims are told as the contract tells them', (t) => {
  const names = new NameBook();
  names.keep(1, 'w1');
  const handedBack = [
    [1, 2, 1, 5, 0, 0, 6, -1, 0, 0],
    [1, 2, 0, 0, 0, 0, 0, 1, 2, 3],
    [0, [7, 3]],
  ] as const;
  t.deepEqual(committedOf(REQUEST, [], ['committed', 4, [], handedBack, [[9, [3, 2, 1], [[1, 0]]]], ''], names), {
    kind: 'committed',
    settled: [],
    handedBack: [
      { kind: 'returned', faults: { ...NO_FAULTS, failures: 1, delayMs: 5, restores: 6 }, lastAttempt: 2, other: null },
      { kind: 'returned', faults: NO_FAULTS, lastAttempt: 2, other: row('w1', 2, 3) },
      { kind: 'refused', found: { index: 7, state: 'done' } },
    ],
    claimed: [{ kind: 'claimed', granted: [{ from: 3, count: 2, attempt: 1 }], found: [{ index: 1, state: 'fresh' }], cursor: 9 }],
  });
});

test('L16: while paused each claim is gone', (t) => {
  t.deepEqual(committedOf(REQUEST, [], ['committed', 4, [], [], 0, 'no quota'], new NameBook()).claimed, [
    { kind: 'gone', state: { kind: 'paused', reason: 'no quota' } },
  ]);
});
