import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import fc from 'fast-check';
import { MAX_DETAIL_CHARACTERS } from '../../../runtime/model/session.ts';
import { BeatRequestSchema } from '../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { beatFromWire } from '../../../runtime/rpc/mapping.ts';
import { onBackendAway, onBackendReady, onBeat, onStart } from '../../../runtime/worker/machine.ts';
import { oneLine, whyNotReady } from '../../../runtime/worker/say.ts';
import { newState } from '../../../runtime/worker/state.ts';
import { beatReply, kinds, SETTINGS } from '../../support/worker-state.ts';

test('the reason is that of the backend while it is away, else that no coordinator answers', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  t.is(whyNotReady(state), 'waiting for the backend');
  state.backendDetail = 'http://h:1: answered 500';
  t.is(whyNotReady(state), 'waiting for http://h:1: answered 500');
  state.backend = 'ready';
  t.is(whyNotReady(state), 'no coordinator answers');
});

test('why the backend is away is said once for each reason, and no more once it is ready', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  const refused = 'waiting for http://h:1: ECONNREFUSED';
  t.deepEqual(onBackendAway(state, 0, 'http://h:1: ECONNREFUSED'), [{ kind: 'say', state: 'not-ready', detail: refused }]);
  t.deepEqual(onBackendAway(state, 0, 'http://h:1: ECONNREFUSED'), []);
  t.deepEqual(kinds(onBackendAway(state, 0, 'http://h:1: answered 503')), ['say']);
  t.like(onBackendReady(state, 0)[0], { kind: 'say', state: 'ready', detail: '' });
});

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
