import test from 'ava';
import fc from 'fast-check';
import type { Beat, BeatReply } from '../../../../runtime/model/session.ts';
import { BeatsRequestSchema, BeatsResponseSchema } from '../../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import {
  beatsRequestFromWire,
  beatsRequestToWire,
  beatsResponseFromWire,
  beatsResponseToWire,
} from '../../../../runtime/rpc/mapping/beats-mapping.ts';
import { codecOf } from '../../../../runtime/rpc/method.ts';
import { beatOf } from '../../../support/rpc-world.ts';

const request = codecOf(BeatsRequestSchema);
const response = codecOf(BeatsResponseSchema);

const beats = fc.array(
  fc.record({
    state: fc.constantFrom('init' as const, 'ready' as const, 'not-ready' as const, 'draining' as const),
    concurrency: fc.constantFrom(1, 8),
    pid: fc.constantFrom(1, 2),
    loopLagMs: fc.nat({ max: 3 }),
    highestEpoch: fc.constantFrom(0, 3),
    detail: fc.constantFrom('', 'waiting'),
    node: fc.constantFrom('', 'm-1'),
    isAsking: fc.boolean(),
  }),
  { maxLength: 20 },
);
const timing = fc
  .constantFrom(1_000, 2_000)
  .map((ms) => ({ heartbeatIntervalMs: ms, workerSelfFenceTimeoutMs: 2 * ms, pollWaitMs: 3 * ms }));
const replies = fc.array(
  fc
    .record({ epoch: fc.constantFrom(0, 1), isSuperseded: fc.boolean(), timing: fc.option(timing) })
    .map(({ timing: told, ...reply }): BeatReply => (told === null ? reply : { ...reply, timing: told })),
  { maxLength: 20 },
);

test('a row of beats arrives as it was said, whatever was said before', (t) => {
  fc.assert(
    fc.property(beats, (row) => {
      let [said, heard]: [Beat | null, Beat | null] = [null, null];
      for (const one of row) {
        const beat = { ...beatOf('w-1'), ...one };
        const checked = beatsRequestFromWire(request.deserialize(request.serialize(beatsRequestToWire(beat, said))), heard);
        t.deepEqual(checked, { kind: 'ok', value: beat });
        said = beat;
        heard = checked.kind === 'ok' ? checked.value : null;
      }
    }),
  );
});

test('a row of answers arrives as it was said, whatever was said before', (t) => {
  fc.assert(
    fc.property(replies, (row) => {
      let [said, heard]: [BeatReply | null, BeatReply | null] = [null, null];
      for (const reply of row) {
        const checked = beatsResponseFromWire(response.deserialize(response.serialize(beatsResponseToWire(reply, said))), heard);
        t.deepEqual(checked, { kind: 'ok', value: reply });
        said = reply;
        heard = checked.kind === 'ok' ? checked.value : null;
      }
    }),
  );
});

test('what is said again takes no more than a few bytes', (t) => {
  const beat = beatOf('w-1');
  t.true(request.serialize(beatsRequestToWire({ ...beat, loopLagMs: 7 }, beat)).length <= 4);
  t.is(request.serialize(beatsRequestToWire({ ...beat, loopLagMs: 0, isAsking: false }, beat)).length, 0);
  t.is(response.serialize(beatsResponseToWire({ epoch: 3, isSuperseded: false }, { epoch: 3, isSuperseded: false })).length, 0);
});

test('nothing was said before the first message: one without contents is refused, and so is one with a bad field', (t) => {
  const empty = request.deserialize(Buffer.alloc(0));
  t.like(beatsRequestFromWire(empty, null), { kind: 'invalid', field: 'beat' });
  t.like(beatsResponseFromWire(response.deserialize(Buffer.alloc(0)), null), { kind: 'invalid', field: 'reply' });
  t.like(beatsRequestFromWire(beatsRequestToWire({ ...beatOf('w-1'), bootNonce: '' }, null), null), { kind: 'invalid' });
});
