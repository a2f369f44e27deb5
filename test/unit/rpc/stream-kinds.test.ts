import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { BeatsRequestSchema, SessionRequestSchema } from '../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { beatsRequestToWire } from '../../../runtime/rpc/mapping/beats-mapping.ts';
import { carryBeats, carrySession } from '../../../runtime/rpc/stream-kinds.ts';
import { beatOf } from '../../support/rpc-world.ts';

const BEAT = { ...beatOf('w-1'), loopLagMs: 4 };
const REPLY = { epoch: 3, isSuperseded: false };

test('a stream of beats is told what is new since the beat before, and says what is new since the reply before', (t) => {
  const stream = carryBeats();
  t.deepEqual(stream.fromWire(beatsRequestToWire(BEAT, null)), { kind: 'ok', value: BEAT });
  const later = { ...BEAT, loopLagMs: 9, isAsking: false };
  t.deepEqual(stream.fromWire(create(BeatsRequestSchema, { loopLagMs: 9 })), { kind: 'ok', value: later });
  t.like(stream.toWire(REPLY), { reply: { epoch: 3 } });
  t.is(stream.toWire(REPLY).reply, undefined);
  t.like(stream.toWire({ ...REPLY, epoch: 4 }), { reply: { epoch: 4 } });
});

test('each stream of beats begins with a whole beat and a whole reply', (t) => {
  const [first, second] = [carryBeats(), carryBeats()];
  t.is(first.fromWire(beatsRequestToWire(BEAT, null)).kind, 'ok');
  first.toWire(REPLY);
  t.like(second.fromWire(create(BeatsRequestSchema, { loopLagMs: 9 })), { kind: 'invalid', field: 'beat' });
  t.like(second.toWire(REPLY), { reply: { epoch: 3 } });
});

test('a message of a session without its content is refused', (t) => {
  t.like(carrySession().fromWire(create(SessionRequestSchema)), { kind: 'invalid', field: 'message' });
});
