import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { handBack } from '../../../../runtime/ledger/transition/hand-back.ts';
import { handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';

const ROW = { worker: 'w1', attempt: 1, claimEpoch: 3 };

test('L12, L15: the row stays with the item, its faults grow', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running('w1', 1, 3, { failures: 4 }) } });
  const { reply, writes } = handBack(rows, 3, [{ index: 0, row: ROW, reason: 'failed', delayMs: 80 }]);
  const faults = { ...NO_FAULTS, failures: 5, delayMs: 80 };
  t.deepEqual(reply, { kind: 'returned', verdicts: [{ kind: 'returned', faults, lastAttempt: 1, other: null }] });
  t.deepEqual([...(writes?.items ?? [])], [[0, handedBack('w1', 1, 3, faults)]]);
  t.like(writes?.head, { running: 0, handedBack: 1 });
});

test('L7: in one call or again, a row is handed back once', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running() } });
  const one = { index: 0, row: ROW, reason: 'failed', delayMs: 0 } as const;
  const { reply } = handBack(rows, 3, [one, one]);
  const returned = { kind: 'returned', faults: { ...NO_FAULTS, failures: 1 }, lastAttempt: 1, other: null } as const;
  t.deepEqual(reply, { kind: 'returned', verdicts: [returned, returned] });
  const again = handBack(rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: handedBack('w1', 1, 3, { failures: 1 }) } }), 3, [
    one,
  ]);
  t.deepEqual(again, { reply: { kind: 'returned', verdicts: [returned] }, writes: null });
});

test('a delay is a whole number of milliseconds that fits', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running() } });
  for (const delayMs of [-1, 0.5, 0x1_0000_0000, Number.NaN]) {
    t.throws(() => handBack(rows, 3, [{ index: 0, row: ROW, reason: 'throttled', delayMs }]), { instanceOf: AssertionFailed });
  }
});
