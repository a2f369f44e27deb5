import test from 'ava';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import type { Running } from '../../../../runtime/ledger/rows.ts';
import { scan } from '../../../../runtime/ledger/rules/scan.ts';
import { type Given, handedBack, rowsOf, running, twice } from '../../../support/ledger-rows.ts';
import { row, SOME_PLACE, SOME_WORKER } from '../../../support/ledger-start.ts';

const HEAD = { cursor: 4, running: 1, handedBack: 1, done: 1, failed: 1 };
const WHOLE = { head: HEAD, inFlight: { 0: running(), 1: handedBack() }, done: [2], failed: [3] } satisfies Given;

test('L6: a whole ledger is told as it is', (t) => {
  const { reply, writes } = scan(rowsOf(WHOLE), 3);
  t.is(writes, null);
  t.deepEqual(reply, {
    kind: 'scanned',
    progress: { state: { kind: 'running' }, epoch: 3, ...HEAD, redone: 0 },
    place: SOME_PLACE,
    running: [{ index: 0, row: running().row, second: null, lastAttempt: 1, faults: NO_FAULTS }],
    handedBack: [{ index: 1, row: handedBack().row, lastAttempt: 1, faults: NO_FAULTS }],
    workers: [{ worker: 'w1', info: SOME_WORKER }],
  });
});

test('L6, L13: an item with two rows is told with both, and counted once', (t) => {
  const { reply } = scan(rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: twice() } }), 3);
  const told = { index: 0, row: row('w1', 1, 3), second: row('w2', 2, 3), lastAttempt: 2, faults: NO_FAULTS };
  t.like(reply, { progress: { running: 1 }, running: [told], handedBack: [] });
});

const one = (more: Partial<Running>): Given => ({ head: { cursor: 1, running: 1 }, inFlight: { 0: { ...running(), ...more } } });

const DAMAGED: [string, Given][] = [
  ['a running row too many', { ...WHOLE, head: { ...HEAD, running: 2, cursor: 5 } }],
  ['a row lost', { ...WHOLE, inFlight: { 0: running() } }],
  ['a bit lost', { ...WHOLE, done: [] }],
  ['a failed bit too many', { ...WHOLE, failed: [2, 3] }],
  ['a cursor that does not add up', { ...WHOLE, head: { ...HEAD, cursor: 6 } }],
  ['a bit behind the cursor', { ...WHOLE, done: [9] }],
  ['an item both done and failed', { head: { cursor: 2, done: 1, failed: 1 }, done: [0], failed: [0] }],
  ['an item in flight and done', { head: { cursor: 2, running: 1, done: 1 }, inFlight: { 0: running() }, done: [0] }],
  ['two rows of one worker', one({ second: row('w1', 2, 3), lastAttempt: 2 })],
  ['two rows of one attempt', one({ second: row('w2', 1, 3) })],
  ['a last attempt below the row’s', one({ lastAttempt: 0 })],
  ['a last attempt below the second row’s', one({ second: row('w2', 2, 3) })],
  [
    'a last attempt below a handed-back row’s',
    { head: { cursor: 1, handedBack: 1 }, inFlight: { 0: { ...handedBack('w1', 2), lastAttempt: 1 } } },
  ],
  ['an attempt of 0', one({ row: row('w1', 0, 3) })],
  ['a tally that does not add up', { ...WHOLE, tallies: [{ epoch: 3, count: 1, low: 0, high: 0 }] }],
  ['an attempt above the highest', { head: { cursor: 1, running: 1, highestAttempt: 0 }, inFlight: { 0: running() } }],
  ['a row of an epoch to come', one({ row: row('w1', 1, 4) })],
  ['a second row of an epoch to come', one({ second: row('w2', 2, 4), lastAttempt: 2 })],
  ['an item in flight behind the cursor', { head: { cursor: 1, running: 1 }, inFlight: { 7: running() } }],
];

for (const [what, given] of DAMAGED) {
  test(`L6: scan refuses ${what}`, (t) => {
    t.throws(() => scan(rowsOf(given), 3), { code: 'LEDGER_CORRUPT', message: /contradicts itself/ });
  });
}

test('L6: scan refuses an item that is open in its range and has a row of its own', (t) => {
  const rows = rowsOf({ head: { cursor: 2, running: 2 }, inFlight: { 0: running() } });
  const inFlight = [...rows.everyInFlight()];
  t.throws(() => scan({ ...rows, everyInFlight: () => [...inFlight, ...inFlight] }, 3), {
    code: 'LEDGER_CORRUPT',
    message: /item 0 is in flight twice/,
  });
});

test('L5: scan under an old epoch is fenced before it reads', (t) => {
  t.deepEqual(scan(rowsOf({ head: { cursor: 9 } }), 2).reply, { kind: 'fenced', epoch: 3 });
});
