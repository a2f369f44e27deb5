import { create, equals, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import {
  ItemForm,
  PollResponseSchema,
  SessionRequestSchema,
  SessionResponseSchema,
} from '../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { encoderOf } from '../../../runtime/rpc/long-bytes.ts';

/** Lengths of which the varint has one byte, two, three and four. */
const LENGTHS = [1, 127, 128, 16_383, 16_384, 2_097_152];

function linesOf(length: number) {
  return { lengths: [length], bytes: new Uint8Array(length).fill(7) };
}

test('a message whose lines follow in a second part is read as it was', (t) => {
  for (const length of LENGTHS) {
    const refs = { indexes: [5], attempts: [1], claimEpochs: [2] };
    const reply = {
      epoch: 3,
      batch: 4,
      assignments: { refs, lines: linesOf(length), lineNumbers: [6], form: ItemForm.BATCH },
      acknowledged: refs,
    };
    const response = create(SessionResponseSchema, { message: reply });
    const before = structuredClone(response.message?.assignments?.lines?.bytes);
    t.true(equals(SessionResponseSchema, fromBinary(SessionResponseSchema, encoderOf(SessionResponseSchema)(response)), response));
    t.deepEqual(response.message?.assignments?.lines?.bytes, before, 'the message keeps its lines');
    const answer = create(PollResponseSchema, reply);
    t.true(equals(PollResponseSchema, fromBinary(PollResponseSchema, encoderOf(PollResponseSchema)(answer)), answer));
    const request = create(SessionRequestSchema, { message: { workerId: 'w1', outcomes: { refs, lines: linesOf(length) }, capacity: 9 } });
    t.true(equals(SessionRequestSchema, fromBinary(SessionRequestSchema, encoderOf(SessionRequestSchema)(request)), request));
  }
});

test('a message without lines is encoded as the library does it', (t) => {
  for (const message of [{}, { message: {} }, { message: { epoch: 3, assignments: { lineNumbers: [1] } } }]) {
    const response = create(SessionResponseSchema, message);
    t.deepEqual([...encoderOf(SessionResponseSchema)(response)], [...toBinary(SessionResponseSchema, response)]);
  }
});
