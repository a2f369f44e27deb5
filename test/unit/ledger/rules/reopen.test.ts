import test from 'ava';
import { reopen } from '../../../../runtime/ledger/rules/reopen.ts';
import { type Given, rowsOf, running } from '../../../support/ledger-rows.ts';

const GIVEN = {
  head: { cursor: 3, running: 1, done: 1, failed: 1, highestAttempt: 7 },
  inFlight: { 0: running() },
  done: [1],
  failed: [2],
  tallies: [{ epoch: 1, count: 2, low: 5, high: 6 }],
} satisfies Given;
const ONE_LESS = [{ epoch: 1, count: 1, low: 3, high: 4 }];

test('L45: a reopened item loses its bit, and its attempt is above the highest', (t) => {
  const { reply, writes } = reopen(rowsOf(GIVEN), { epoch: 3, serial: 5 }, { pending: [2], own: [], tallies: ONE_LESS });
  t.deepEqual(reply, { kind: 'reopened' });
  t.deepEqual([...(writes?.cleared ?? [])], [[2, 'failed']]);
  t.like(writes, { head: { failed: 0, handedBack: 1, highestAttempt: 8 }, tallies: ONE_LESS });
  t.like(writes?.items?.get(2), { state: 'handed-back', lastAttempt: 8, row: { worker: 'coordinator', attempt: 8, claimEpoch: 3 } });
  t.deepEqual(writes?.state, { state: { kind: 'running' }, by: { epoch: 3, serial: 5 } });
});

test('L7: a tally that is as it was is not written again', (t) => {
  t.deepEqual(reopen(rowsOf(GIVEN), { epoch: 3, serial: 5 }, { pending: [], own: [], tallies: GIVEN.tallies }), {
    reply: { kind: 'reopened' },
    writes: { state: { state: { kind: 'running' }, by: { epoch: 3, serial: 5 } } },
  });
});

test('L7: items in flight and items never handed out are refused', (t) => {
  const { reply, writes } = reopen(rowsOf(GIVEN), { epoch: 3, serial: 5 }, { pending: [0, 2], own: [5], tallies: ONE_LESS });
  t.like(reply, {
    kind: 'refused',
    found: [
      { index: 0, state: 'running' },
      { index: 5, state: 'fresh' },
    ],
  });
  t.is(writes, null);
});

test('L38: a reopening that a later request has overtaken changes nothing', (t) => {
  const rows = rowsOf({ ...GIVEN, stateBy: { epoch: 3, serial: 6 } });
  t.deepEqual(reopen(rows, { epoch: 3, serial: 5 }, { pending: [2], own: [], tallies: ONE_LESS }), {
    reply: { kind: 'overtaken' },
    writes: null,
  });
});

test('L5: under an old epoch nothing is reopened', (t) => {
  t.deepEqual(reopen(rowsOf(GIVEN), { epoch: 2, serial: 5 }, { pending: [2], own: [], tallies: ONE_LESS }).reply, {
    kind: 'fenced',
    epoch: 3,
  });
});
