import test from 'ava';
import { AssertionFailed, mustGet } from '../../../../runtime/base/assert.ts';
import type { Head } from '../../../../runtime/ledger/rows.ts';
import { Draft, goneFor, recordedAs, underEpoch } from '../../../../runtime/ledger/rules/draft.ts';
import { MAX_INDEX } from '../../../../runtime/model/row.ts';
import { NO_TALLY, plusOutcome } from '../../../../runtime/model/tally.ts';
import { type Given, handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';

function draftOf(given: Given): Draft {
  const rows = rowsOf(given);
  return new Draft(rows, mustGet(rows.head(), 'head'));
}

const GIVEN: Given = {
  head: { cursor: 4, running: 1, handedBack: 1, done: 1, failed: 1 },
  inFlight: { 0: running(), 1: handedBack() },
  done: [2],
  failed: [3],
};

test('L6: an item is what its one row or bit says, and fresh from the cursor on', (t) => {
  const draft = draftOf(GIVEN);
  t.deepEqual(
    [0, 1, 2, 3, 4, MAX_INDEX].map((index) => draft.item(index).state),
    ['running', 'handed-back', 'done', 'failed', 'fresh', 'fresh'],
  );
});

test('L6: an item that was handed out and is nowhere is said to be lost', (t) => {
  t.throws(() => draftOf({ head: { cursor: 1 } }).item(0), { code: 'LEDGER_CORRUPT', message: /item 0/ });
});

test('an index outside 32 bits is a bug', (t) => {
  for (const index of [-1, 0.5, MAX_INDEX + 1]) t.throws(() => draftOf(GIVEN).item(index), { instanceOf: AssertionFailed });
});

test('L6: every change of an item moves exactly one count', (t) => {
  const draft = draftOf(GIVEN);
  draft.put(0, { state: 'done' });
  draft.put(1, running('w1', 2));
  draft.grantFresh(3, running().row);
  draft.put(4, { state: 'failed' });
  const { writes } = draft.decide('reply');
  t.like(writes?.head, { cursor: 7, running: 3, handedBack: 0, done: 2, failed: 2 });
  t.deepEqual([...(writes?.items?.keys() ?? [])], [0, 1, 4]);
  t.deepEqual(writes?.granted, [{ from: 4, count: 3, item: running() }]);
  t.deepEqual(draft.item(4), { state: 'failed' }, 'a later look sees the change');
  t.deepEqual(draft.item(6), running(), 'and what was granted just now');
  t.deepEqual(draft.item(7), { state: 'fresh' });
});

test('a fresh item is granted at the cursor, and becomes nothing else', (t) => {
  for (const index of [4, 5]) t.throws(() => draftOf(GIVEN).put(index, running()), { instanceOf: AssertionFailed });
  t.is(draftOf(GIVEN).decide(0).writes, null);
});

test('L7: a decision without a change writes nothing', (t) => {
  t.deepEqual(draftOf(GIVEN).decide('reply'), { reply: 'reply', writes: null });
});

test('L39: what is accepted is added to the tally of the epoch', (t) => {
  const before = plusOutcome(NO_TALLY, { index: 7, attempt: 1 });
  const draft = draftOf({ ...GIVEN, tallies: [{ epoch: 3, ...before }] });
  draft.put(0, { state: 'done' });
  draft.accept(0, 2);
  t.deepEqual(draft.decide(0).writes?.tallies, [{ epoch: 3, ...plusOutcome(before, { index: 0, attempt: 2 }) }]);
  const other = draftOf(GIVEN);
  other.put(0, { state: 'done' });
  t.is(other.decide(0).writes?.tallies, undefined);
});

test('L9: the highest attempt of the run is kept', (t) => {
  const draft = draftOf({ ...GIVEN, head: { ...(GIVEN.head as Partial<Head>), highestAttempt: 4 } });
  draft.put(0, { ...running(), lastAttempt: 3 });
  t.is(draft.decide(0).writes?.head?.highestAttempt, 4);
  draft.put(0, { ...running(), lastAttempt: 6 });
  t.is(draft.decide(0).writes?.head?.highestAttempt, 6);
});

test('L5: older epochs are fenced, the ledger’s own decides, newer ones are an error', (t) => {
  const decide = () => ({ reply: 'decided', writes: null });
  t.deepEqual(underEpoch(rowsOf(), 2, decide), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
  t.deepEqual(underEpoch(rowsOf(), 3, decide).reply, 'decided');
  t.throws(() => underEpoch(rowsOf(), 4, decide), { code: 'LEDGER_BEHIND', message: /epoch 3.*epoch 4/ });
  t.throws(() => underEpoch(rowsOf({ head: null }), 0, decide), { code: 'LEDGER_BEHIND' });
});

test('L16: which verbs a state refuses', (t) => {
  const paused = { kind: 'paused', reason: 'x' } as const;
  t.is(goneFor('claim', { kind: 'running' }), null);
  t.deepEqual(goneFor('claim', paused), { kind: 'gone', state: paused });
  t.is(goneFor('write', paused), null);
  t.deepEqual(goneFor('write', { kind: 'completed' }), { kind: 'gone', state: { kind: 'completed' } });
});

test('a bit is found on whichever page it lies', (t) => {
  const rows = rowsOf({ done: [5_000], failed: [9_000] });
  t.deepEqual(
    [5_000, 9_000, 5_001].map((index) => recordedAs(rows, index)),
    ['done', 'failed', null],
  );
});
