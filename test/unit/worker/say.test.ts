import test from 'ava';
import { onBackendAway, onBackendReady, onBeat, onStart } from '../../../runtime/worker/machine.ts';
import { whyNotReady, workerState } from '../../../runtime/worker/say.ts';
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

test('L26: whatever the backend is, the beats begin with init, and say more only once one was answered', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onBackendReady(state, 0);
  t.is(workerState(state), 'init');
  onBeat(state, 0, beatReply());
  t.is(workerState(state), 'ready');
});
