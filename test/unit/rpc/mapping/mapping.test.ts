import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type {
  Assignment,
  Beat,
  DrainStepKind,
  HeldState,
  ItemForm,
  Order,
  Outcome,
  Poll,
  PollReply,
  ReturnReason,
  WorkerState,
} from '../../../../runtime/model/session.ts';
import {
  BeatRequestSchema,
  DeregisterRequestSchema,
  type PollRequest,
  PollRequestSchema,
  PollResponseSchema,
  PollStatus,
  HeldState as WireHeld,
} from '../../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import type { Checked } from '../../../../runtime/rpc/mapping/field-check.ts';
import * as mapping from '../../../../runtime/rpc/mapping/mapping.ts';

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const counted = fc.integer({ min: 1, max: 0xffff_ffff });
const workerId = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/).filter((id) => id !== 'coordinator');
const bootNonce = fc.stringMatching(/^[0-9a-f]{1,32}$/);
const ref = { index: fc.integer({ min: 0, max: 0xffff_fffe }), attempt: counted, claimEpoch: uint32 };
const line = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
const refs = fc.array(fc.record(ref), { maxLength: 4 });

const answered = { ...ref, line, httpStatus: fc.integer({ min: 0, max: 999 }) };
/** Only a failure has more to tell than its line. */
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    ...answered,
    kind: fc.constant('result' as const),
    code: fc.constant(''),
    isRetryable: fc.constant(false),
    isProbe: fc.constant(false),
    delayMs: fc.constant(0),
  }),
  fc.record({
    ...answered,
    kind: fc.constant('error' as const),
    code: fc.string({ maxLength: 20 }),
    isRetryable: fc.boolean(),
    isProbe: fc.boolean(),
    delayMs: uint32,
  }),
);

const beats: fc.Arbitrary<Beat> = fc.record({
  workerId,
  bootNonce,
  state: fc.constantFrom<WorkerState[]>('init', 'ready', 'not-ready', 'draining'),
  concurrency: counted,
  pid: uint32,
  loopLagMs: uint32,
  highestEpoch: uint32,
  detail: fc.stringMatching(/^[ -~]{0,200}$/),
  node: fc.stringMatching(/^[ -~]{0,200}$/),
  isAsking: fc.constant(true),
});

const polls: fc.Arbitrary<Poll> = fc.record({
  workerId,
  bootNonce,
  session: counted,
  poll: counted,
  highestEpoch: uint32,
  hello: fc.option(fc.array(fc.record({ ...ref, state: fc.constantFrom<HeldState[]>('queued', 'started', 'finished') }), { maxLength: 4 })),
  acknowledgedBatch: uint32,
  isAwaiting: fc.boolean(),
  capacity: fc.integer({ min: 0, max: 8_192 }),
  outcomes: fc.array(outcome, { maxLength: 4 }),
  returns: fc.array(
    fc.record({
      ...ref,
      reason: fc.constantFrom<ReturnReason[]>('drained', 'unavailable', 'throttled', 'quota', 'refused', 'recalled'),
      delayMs: uint32,
      detail: fc.stringMatching(/^[a-z0-9: ]{0,200}$/),
    }),
    { maxLength: 4 },
  ),
  started: refs,
  drainSteps: fc.array(
    fc.record({
      step: fc.constantFrom<DrainStepKind[]>(
        'stopped-pulling',
        'returned-unstarted',
        'finishing',
        'returned-started',
        'leaving',
        'withdrawn',
      ),
      items: uint32,
      remainingMs: uint32,
      reason: fc.stringMatching(/^[ -~]{0,200}$/),
    }),
    { maxLength: 4 },
  ),
  waitMs: fc.integer({ min: 0, max: 20_000 }),
});

/** All lines of a run have one form. */
const assignments: fc.Arbitrary<readonly Assignment[]> = fc
  .tuple(fc.array(fc.record({ ...ref, line, lineNumber: counted }), { maxLength: 4 }), fc.constantFrom<ItemForm[]>('batch', 'raw'))
  .map(([items, form]) => items.map((item) => ({ ...item, form })));

const replies: fc.Arbitrary<PollReply> = fc.oneof(
  fc.record({ status: fc.constantFrom('hello-needed', 'superseded'), epoch: uint32 }),
  fc.record({
    status: fc.constant('ok' as const),
    epoch: uint32,
    order: fc.constantFrom<Order[]>('work', 'hold', 'drain', 'finished'),
    drainMs: uint32,
    reason: fc.stringMatching(/^[ -~]{0,200}$/),
    batch: uint32,
    assignments,
    revoked: refs,
    recalled: refs,
    acknowledged: refs,
    stale: refs,
  }),
);

function accepted<T>(t: ExecutionContext, checked: Checked<T>): T {
  if (checked.kind === 'ok') return checked.value;
  return t.fail(`${checked.field} ${checked.problem}`);
}

test('every beat survives the wire', (t) => {
  fc.assert(
    fc.property(beats, (beat) => {
      const bytes = toBinary(BeatRequestSchema, mapping.beatToWire(beat));
      t.deepEqual(accepted(t, mapping.beatFromWire(fromBinary(BeatRequestSchema, bytes))), beat);
    }),
  );
});

test('every poll survives the wire; an empty hello is not an absent one', (t) => {
  fc.assert(
    fc.property(polls, (poll) => {
      const bytes = toBinary(PollRequestSchema, mapping.pollToWire(poll));
      t.deepEqual(accepted(t, mapping.pollFromWire(fromBinary(PollRequestSchema, bytes))), poll);
    }),
  );
});

test('every poll reply survives the wire', (t) => {
  fc.assert(
    fc.property(replies, (reply) => {
      const bytes = toBinary(PollResponseSchema, mapping.pollReplyToWire(reply));
      t.deepEqual(accepted(t, mapping.pollReplyFromWire(fromBinary(PollResponseSchema, bytes))), reply);
    }),
  );
});

type PollInit = Exclude<MessageInitShape<typeof PollRequestSchema>, PollRequest>;
const REF = { index: 1, attempt: 1, claimEpoch: 0 };
const POLL: PollInit = { workerId: 'w-1', bootNonce: 'n', session: 1, poll: 1, waitMs: 20_000 };

const WRONG_POLLS: readonly (readonly [what: string, change: PollInit, field: string])[] = [
  ['no worker id', { workerId: '' }, 'worker_id'],
  ['a worker id with a slash', { workerId: 'a/b' }, 'worker_id'],
  ["the coordinator's own worker id", { workerId: 'coordinator' }, 'worker_id'],
  ['no boot nonce', { bootNonce: '' }, 'boot_nonce'],
  ['a session 0', { session: 0 }, 'session'],
  ['a poll 0', { poll: 0 }, 'poll'],
  ['a wait above 20 s', { waitMs: 20_001 }, 'wait_ms'],
  ['an absurd capacity', { capacity: 0xffff_ffff }, 'capacity'],
  ['a return without a reason', { returns: [{ ref: REF }] }, 'reason'],
  ['a held item without a state', { hello: { held: [{ ref: REF }] } }, 'state'],
  ['too many held items', { hello: { held: Array.from({ length: 65_537 }, () => ({ ref: REF, state: WireHeld.QUEUED })) } }, 'held'],
];

for (const [what, change, field] of WRONG_POLLS) {
  test(`a poll with ${what} is refused, and ${field} is named`, (t) => {
    const checked = mapping.pollFromWire(create(PollRequestSchema, { ...POLL, ...change }));
    t.is(checked.kind === 'invalid' ? checked.field : 'accepted', field);
  });
}

test('the first wrong field is the one that is named', (t) => {
  const checked = mapping.pollFromWire(create(PollRequestSchema, { ...POLL, workerId: '', session: 0 }));
  t.like(checked, { kind: 'invalid', field: 'worker_id' });
});

test('a beat and a deregistration are checked as well', (t) => {
  const beat = { workerId: 'w-1', bootNonce: 'n', state: 2, concurrency: 1 } as const;
  t.is(mapping.beatFromWire(create(BeatRequestSchema, beat)).kind, 'ok');
  t.like(mapping.beatFromWire(create(BeatRequestSchema, { ...beat, state: 0 })), { kind: 'invalid', field: 'state' });
  t.like(mapping.beatFromWire(create(BeatRequestSchema, { ...beat, concurrency: 0 })), { kind: 'invalid', field: 'concurrency' });
  for (const detail of ['x'.repeat(201), 'two\nlines', 'a \u001b[31mcolour', 'a\u2028b']) {
    t.like(mapping.beatFromWire(create(BeatRequestSchema, { ...beat, detail })), { kind: 'invalid', field: 'detail' });
  }
  t.like(mapping.deregistrationFromWire(create(DeregisterRequestSchema, { workerId: 'w-1' })), { kind: 'invalid', field: 'boot_nonce' });
});

test('a reply that makes no sense is refused by the worker', (t) => {
  t.like(mapping.pollReplyFromWire(create(PollResponseSchema, {})), { kind: 'invalid', field: 'status' });
  t.like(mapping.pollReplyFromWire(create(PollResponseSchema, { status: PollStatus.OK })), { kind: 'invalid', field: 'order' });
});
