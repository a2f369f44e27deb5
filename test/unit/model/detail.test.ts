import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import fc from 'fast-check';
import { oneLine } from '../../../runtime/model/detail.ts';
import { MAX_DETAIL_CHARACTERS } from '../../../runtime/model/session.ts';
import { BeatRequestSchema } from '../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { beatFromWire } from '../../../runtime/rpc/mapping/mapping.ts';

test('a detail is one line without control characters, and not too long', (t) => {
  t.is(oneLine(' two\r\nlines,\u001b[31m a colour\u2028and more \n'), 'two lines, [31m a colour and more');
  t.is(oneLine('x'.repeat(MAX_DETAIL_CHARACTERS)), 'x'.repeat(MAX_DETAIL_CHARACTERS));
  const cut = oneLine(`${'x'.repeat(MAX_DETAIL_CHARACTERS - 2)}\u{1f600} and more`);
  t.is(cut, `${'x'.repeat(MAX_DETAIL_CHARACTERS - 2)}…`, 'no half of a character is left');
});

test('whatever an error says, a beat that carries it is accepted', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }), (units) => {
      const detail = oneLine(String.fromCharCode(...units));
      const beat = create(BeatRequestSchema, { workerId: 'w-1', bootNonce: 'n', state: 3, concurrency: 1, detail });
      t.is(beatFromWire(fromBinary(BeatRequestSchema, toBinary(BeatRequestSchema, beat))).kind, 'ok');
    }),
  );
});
