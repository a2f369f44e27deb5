import test from 'ava';
import type { CommitRequest } from '../../../../runtime/ledger/contract.ts';
import { commit } from '../../../../runtime/ledger/rules/commit.ts';
import { handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';
import { SOME_WORKER } from '../../../support/ledger-start.ts';

const ROW = { worker: 'w1', attempt: 1, claimEpoch: 3 };
const GIVEN = {
  head: { cursor: 2, running: 2 },
  inFlight: { 0: running(), 1: running() },
  workers: { w1: { number: 1, info: SOME_WORKER }, w2: { number: 2, info: SOME_WORKER } },
};
const NOTHING: CommitRequest = { settles: [], handBacks: [], claims: [] };

test('settlements, hand-backs and claims are judged in this order, each on top of those before it', (t) => {
  const { reply, writes } = commit(rowsOf(GIVEN), 3, {
    settles: [{ index: 0, row: ROW, isResult: true }],
    handBacks: [
      { index: 0, row: ROW, restores: 0, reason: 'lost', delayMs: 0 },
      { index: 1, row: ROW, restores: 0, reason: 'lost', delayMs: 0 },
    ],
    claims: [
      { worker: 'w2', picks: [{ index: 1, lastAttempt: 1 }] },
      { worker: 'w1', picks: [{ cursor: 2, count: 2 }] },
      { worker: 'w2', picks: [{ cursor: 4, count: 1 }] },
    ],
  });
  t.like(reply, {
    settled: ['accepted'],
    handedBack: [{ kind: 'refused', found: { state: 'done' } }, { kind: 'returned' }],
    claimed: [
      { granted: [{ from: 1, count: 1, attempt: 2 }], cursor: 2 },
      { granted: [{ from: 2, count: 2, attempt: 1 }], cursor: 4 },
      { granted: [{ from: 4, count: 1, attempt: 1 }], cursor: 5 },
    ],
  });
  t.like(writes?.head, { cursor: 5, running: 4, handedBack: 0, done: 1 });
  t.deepEqual(
    [...(writes?.items ?? [])],
    [
      [0, { state: 'done' }],
      [1, running('w2', 2, 3)],
    ],
  );
});

test('L7: what is refused keeps nothing else from being written', (t) => {
  const stale = { ...ROW, attempt: 9 };
  const { reply, writes } = commit(rowsOf(GIVEN), 3, {
    settles: [
      { index: 0, row: stale, isResult: true },
      { index: 0, row: ROW, isResult: false },
    ],
    handBacks: [
      { index: 1, row: stale, restores: 0, reason: 'lost', delayMs: 0 },
      { index: 1, row: ROW, restores: 0, reason: 'lost', delayMs: 0 },
    ],
    claims: [{ worker: 'nobody', picks: [{ cursor: 2, count: 1 }] }],
  });
  t.like(reply, {
    settled: ['stale', 'accepted'],
    handedBack: [{ kind: 'refused' }, { kind: 'returned' }],
    claimed: [{ granted: [], found: [] }],
  });
  t.deepEqual(
    [...(writes?.items ?? [])],
    [
      [0, { state: 'failed' }],
      [1, handedBack()],
    ],
  );
});

test('L16: while paused only the claims are gone; of a finished run all is', (t) => {
  const paused = { kind: 'paused', reason: 'x' } as const;
  const request = { ...NOTHING, settles: [{ index: 0, row: ROW, isResult: true }], claims: [{ worker: 'w1', picks: [] }] };
  const { reply, writes } = commit(rowsOf({ ...GIVEN, state: paused }), 3, request);
  t.deepEqual(reply, { kind: 'committed', settled: ['accepted'], handedBack: [], claimed: [{ kind: 'gone', state: paused }] });
  t.is(writes?.items?.size, 1);
  const completed = { kind: 'completed' } as const;
  t.deepEqual(commit(rowsOf({ ...GIVEN, state: completed }), 3, request), { reply: { kind: 'gone', state: completed }, writes: null });
});

test('L5: under an older epoch nothing is judged; an empty commit writes nothing', (t) => {
  t.deepEqual(commit(rowsOf(GIVEN), 2, NOTHING), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
  t.deepEqual(commit(rowsOf(GIVEN), 3, NOTHING), { reply: { kind: 'committed', settled: [], handedBack: [], claimed: [] }, writes: null });
});
