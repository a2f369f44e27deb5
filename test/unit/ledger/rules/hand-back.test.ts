import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { type HandBack, NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import type { Row } from '../../../../runtime/model/row.ts';
import { decideHandBack } from '../../../support/commit-parts.ts';
import { handedBack, rowsOf, running, twice } from '../../../support/ledger-rows.ts';

const ROW = { worker: 'w1', attempt: 1, claimEpoch: 3 };

test('L12, L15: the row stays with the item, its faults grow', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running('w1', 1, 3, { failures: 4 }) } });
  const { reply, writes } = decideHandBack(rows, 3, [{ index: 0, row: ROW, restores: 0, reason: 'failed', delayMs: 80 }]);
  const faults = { ...NO_FAULTS, failures: 5, delayMs: 80 };
  t.deepEqual(reply, { kind: 'returned', verdicts: [{ kind: 'returned', faults, lastAttempt: 1, other: null }] });
  t.deepEqual([...(writes?.items ?? [])], [[0, handedBack('w1', 1, 3, faults)]]);
  t.like(writes?.head, { running: 0, handedBack: 1 });
});

test('L7: in one call or again, a row is handed back once', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running() } });
  const one = { index: 0, row: ROW, restores: 0, reason: 'failed', delayMs: 0 } as const;
  const { reply } = decideHandBack(rows, 3, [one, one]);
  const returned = { kind: 'returned', faults: { ...NO_FAULTS, failures: 1 }, lastAttempt: 1, other: null } as const;
  t.deepEqual(reply, { kind: 'returned', verdicts: [returned, returned] });
  const again = decideHandBack(
    rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: handedBack('w1', 1, 3, { failures: 1 }) } }),
    3,
    [one],
  );
  t.deepEqual(again, { reply: { kind: 'returned', verdicts: [returned] }, writes: null });
});

test('L12: of a pending item only the row that was taken last is answered as returned', (t) => {
  const item = { ...handedBack(), lastAttempt: 2 };
  const rows = rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: item } });
  const other = { index: 0, row: { worker: 'w2', attempt: 2, claimEpoch: 3 }, restores: 0, reason: 'failed', delayMs: 0 } as const;
  t.deepEqual(decideHandBack(rows, 3, [other]), {
    reply: { kind: 'returned', verdicts: [{ kind: 'refused', found: { index: 0, ...item } }] },
    writes: null,
  });
});

test('L13: of two rows the named one is taken, the other runs on, and no count of items changes', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: twice() } });
  const faults = { ...NO_FAULTS, crashes: 1 };
  const [first, second] = [ROW, { worker: 'w2', attempt: 2, claimEpoch: 3 }];
  for (const [taken, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const { reply, writes } = decideHandBack(rows, 3, [{ index: 0, row: taken, restores: 0, reason: 'crashed', delayMs: 0 }]);
    t.deepEqual(reply, { kind: 'returned', verdicts: [{ kind: 'returned', faults, lastAttempt: 2, other }] });
    t.deepEqual([...(writes?.items ?? [])], [[0, twice({ row: other, second: null, faults })]]);
    t.like(writes?.head, { running: 1, handedBack: 0 });
  }
});

test('L13, L15: both in one call leave the item pending, with the row that was taken last', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: twice() } });
  const second = { worker: 'w2', attempt: 2, claimEpoch: 3 };
  const take = (row: Row): HandBack => ({ index: 0, row, restores: 0, reason: 'lost', delayMs: 0 });
  const { reply, writes } = decideHandBack(rows, 3, [take(second), take(second), take(ROW)]);
  t.like(reply, {
    verdicts: [
      { kind: 'returned', other: ROW },
      { kind: 'refused', found: { row: ROW } },
      { kind: 'returned', other: null },
    ],
  });
  t.deepEqual([...(writes?.items ?? [])], [[0, { ...handedBack(), lastAttempt: 2 }]]);
  t.like(writes?.head, { running: 0, handedBack: 1 });
});

test('a count that does not fit in 32 bits is refused, not cut', (t) => {
  for (const [reason, counter] of [
    ['failed', 'failures'],
    ['suspected', 'suspicions'],
    ['crashed', 'crashes'],
  ] as const) {
    const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running('w1', 1, 3, { [counter]: 0xffff_ffff }) } });
    t.throws(() => decideHandBack(rows, 3, [{ index: 0, row: ROW, restores: 0, reason, delayMs: 0 }]), { instanceOf: AssertionFailed });
  }
});

test('a delay is a whole number of milliseconds that fits', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running() } });
  for (const delayMs of [-1, 0.5, 0x1_0000_0000, Number.NaN]) {
    t.throws(() => decideHandBack(rows, 3, [{ index: 0, row: ROW, restores: 0, reason: 'throttled', delayMs }]), {
      instanceOf: AssertionFailed,
    });
  }
});
