import test from 'ava';
import fc from 'fast-check';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import { type PackedInFlight, packHead, packInFlight, unpackHead, unpackInFlight } from '../../../runtime/ledger/codec.ts';

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const packed: fc.Arbitrary<PackedInFlight> = fc.record({
  state: fc.constantFrom('running', 'handed-back'),
  workerNumber: u32,
  attempt: u32,
  claimEpoch: u32,
  faults: fc.record({ failures: u32, delayMs: u32 }),
});
const ROW: PackedInFlight = { state: 'running', workerNumber: 1, attempt: 2, claimEpoch: 3, faults: { failures: 0, delayMs: 0 } };

test('a packed row reads back as it was written', (t) => {
  fc.assert(fc.property(packed, (item) => t.deepEqual(unpackInFlight(packInFlight(item)), item)));
});

test('L14: only an item with faults pays for them', (t) => {
  t.is(packInFlight(ROW).length, 13);
  t.is(packInFlight({ ...ROW, faults: { failures: 1, delayMs: 0 } }).length, 21);
  t.is(packInFlight({ ...ROW, faults: { failures: 0, delayMs: 1 } }).length, 21);
});

test('L9: an attempt that does not fit in 32 bits is refused, not cut', (t) => {
  t.notThrows(() => packInFlight({ ...ROW, attempt: 0xffff_ffff }));
  for (const attempt of [0x1_0000_0000, -1, 1.5]) t.throws(() => packInFlight({ ...ROW, attempt }), { instanceOf: AssertionFailed });
});

test('bytes that are no packed row are refused', (t) => {
  t.throws(() => unpackInFlight(new Uint8Array(12)), { instanceOf: AssertionFailed });
  t.throws(() => unpackInFlight(new Uint8Array(13)), { instanceOf: AssertionFailed });
});

test('the head row reads back as it was written, with and without an accepted epoch', (t) => {
  const head = { epoch: 0, cursor: 0xffff_ffff, running: 1, handedBack: 2, done: 3, failed: 4, workerNumbers: 5, acceptedEpoch: -1 };
  t.deepEqual(unpackHead(packHead(head)), head);
  t.deepEqual(unpackHead(packHead({ ...head, acceptedEpoch: 0 })), { ...head, acceptedEpoch: 0 });
  t.throws(() => unpackHead(new Uint8Array(31)), { instanceOf: AssertionFailed });
});
