import test from 'ava';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { scan } from '../../../../runtime/ledger/transition/scan.ts';
import { type Given, handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';
import { SOME_PLACE, SOME_WORKER } from '../../../support/ledger-start.ts';

const HEAD = { cursor: 4, running: 1, handedBack: 1, done: 1, failed: 1 };
const WHOLE = { head: HEAD, inFlight: { 0: running(), 1: handedBack() }, done: [2], failed: [3] } satisfies Given;

test('L6: a whole ledger is told as it is', (t) => {
  const { reply, writes } = scan(rowsOf(WHOLE), 3);
  t.is(writes, null);
  t.deepEqual(reply, {
    kind: 'scanned',
    progress: { state: { kind: 'running' }, epoch: 3, ...HEAD },
    place: SOME_PLACE,
    running: [{ index: 0, row: running().row, second: null, lastAttempt: 1, faults: NO_FAULTS }],
    handedBack: [{ index: 1, row: handedBack().row, lastAttempt: 1, faults: NO_FAULTS }],
    workers: [{ worker: 'w1', info: SOME_WORKER }],
  });
});

const DAMAGED: [string, Given][] = [
  ['a running row too many', { ...WHOLE, head: { ...HEAD, running: 2, cursor: 5 } }],
  ['a row lost', { ...WHOLE, inFlight: { 0: running() } }],
  ['a bit lost', { ...WHOLE, done: [] }],
  ['a failed bit too many', { ...WHOLE, failed: [2, 3] }],
  ['a cursor that does not add up', { ...WHOLE, head: { ...HEAD, cursor: 6 } }],
  ['a bit behind the cursor', { ...WHOLE, done: [9] }],
  ['an item both done and failed', { head: { cursor: 2, done: 1, failed: 1 }, done: [0], failed: [0] }],
  ['an item in flight and done', { head: { cursor: 2, running: 1, done: 1 }, inFlight: { 0: running() }, done: [0] }],
  ['an item in flight behind the cursor', { head: { cursor: 1, running: 1 }, inFlight: { 7: running() } }],
];

for (const [what, given] of DAMAGED) {
  test(`L6: scan refuses ${what}`, (t) => {
    t.throws(() => scan(rowsOf(given), 3), { code: 'LEDGER_CORRUPT', message: /contradicts itself/ });
  });
}

test('L5: scan under an old epoch is fenced before it reads', (t) => {
  t.deepEqual(scan(rowsOf({ head: { cursor: 9 } }), 2).reply, { kind: 'fenced', epoch: 3 });
});
