import test from 'ava';
import fc from 'fast-check';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import {
  type PackedInFlight,
  packHead,
  packInFlight,
  packTally,
  unpackHead,
  unpackInFlight,
  unpackTally,
} from '../../../runtime/ledger/codec.ts';
import { NO_FAULTS } from '../../../runtime/ledger/contract.ts';

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const row = fc.record({ workerNumber: u32, attempt: u32, claimEpoch: u32 });
const count = fc.oneof(fc.constant(0), u32);
const packed: fc.Arbitrary<PackedInFlight> = fc
  .record({
    state: fc.constantFrom('running' as const, 'handed-back' as const),
    row,
    second: fc.option(row),
    lastAttempt: fc.option(u32),
    faults: fc.record({ failures: count, delayMs: count, suspicions: count, crashes: count, restores: count }),
  })
  .map((item) => ({ ...item, lastAttempt: item.lastAttempt ?? item.row.attempt }));
const ROW = { workerNumber: 1, attempt: 2, claimEpoch: 3 };
const ITEM: PackedInFlight = { state: 'running', row: ROW, second: null, lastAttempt: 2, faults: NO_FAULTS };

test('a packed row reads back as it was written', (t) => {
  fc.assert(fc.property(packed, (item) => t.deepEqual(unpackInFlight(packInFlight(item)), item)));
});

test('L13, L14: only an item with faults, a second row or a later attempt pays for them', (t) => {
  t.is(packInFlight(ITEM).length, 13);
  for (const fault of ['failures', 'delayMs', 'suspicions', 'crashes']) {
    t.is(packInFlight({ ...ITEM, faults: { ...NO_FAULTS, [fault]: 1 } }).length, 29, fault);
  }
  t.is(packInFlight({ ...ITEM, faults: { ...NO_FAULTS, restores: 1 } }).length, 17);
  t.is(packInFlight({ ...ITEM, lastAttempt: 5 }).length, 17);
  t.is(packInFlight({ ...ITEM, second: { ...ROW, attempt: 5 }, lastAttempt: 5 }).length, 29);
});

test('L9: an attempt that does not fit in 32 bits is refused, not cut', (t) => {
  const withAttempt = (attempt: number): PackedInFlight[] => [
    { ...ITEM, row: { ...ROW, attempt }, lastAttempt: attempt },
    { ...ITEM, second: { ...ROW, attempt } },
    { ...ITEM, lastAttempt: attempt },
  ];
  for (const item of withAttempt(0xffff_ffff)) t.notThrows(() => packInFlight(item));
  for (const attempt of [0x1_0000_0000, -1, 1.5]) {
    for (const item of withAttempt(attempt)) t.throws(() => packInFlight(item), { instanceOf: AssertionFailed });
  }
});

test('bytes that are no packed row are refused', (t) => {
  const withFlags = (flags: number, length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at === 0 ? flags : 0));
  t.notThrows(() => unpackInFlight(withFlags(1, 13)));
  const none = [
    [0, 0],
    [1, 12],
    [1, 14],
    [0, 13],
    [3, 13],
    [1 + 4, 13],
    [1 + 8, 13],
    [1 + 16, 13],
    [1 + 32, 13],
    [1 + 4 + 8, 25],
  ];
  for (const [flags = 0, length = 0] of none) {
    t.throws(() => unpackInFlight(withFlags(flags, length)), { instanceOf: AssertionFailed }, `flags ${flags}, ${length} bytes`);
  }
});

test('L39: a tally reads back as it was written', (t) => {
  fc.assert(fc.property(fc.record({ count: u32, low: u32, high: u32 }), (tally) => t.deepEqual(unpackTally(packTally(tally)), tally)));
  t.throws(() => unpackTally(new Uint8Array(11)), { instanceOf: AssertionFailed });
});

test('the head row reads back as it was written', (t) => {
  const head = {
    epoch: 0,
    cursor: 0xffff_ffff,
    running: 1,
    handedBack: 2,
    done: 3,
    failed: 4,
    workerNumbers: 5,
    highestAttempt: 6,
    redone: 7,
  };
  t.deepEqual(unpackHead(packHead(head)), head);
  t.deepEqual(unpackHead(packHead(head).subarray(0, 32)), { ...head, redone: 0 }, 'one of an earlier version has counted nothing');
  t.throws(() => unpackHead(new Uint8Array(31)), { instanceOf: AssertionFailed });
});
