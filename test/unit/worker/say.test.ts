import test from 'ava';
import { formatDuration } from '../../../runtime/base/config/quantity.ts';
import { MAX_DETAIL_CHARACTERS } from '../../../runtime/model/session.ts';
import { onBeat, onDiskSpace, onReadiness, onStart } from '../../../runtime/worker/machine.ts';
import { whyNotReady, workerState } from '../../../runtime/worker/say.ts';
import { newState } from '../../../runtime/worker/state.ts';
import { away, beatReply, kinds, readied, SETTINGS } from '../../support/worker-state.ts';

test('the reason is that of the backend while it is away, else that no coordinator answers', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  t.is(whyNotReady(state), 'waiting for the backend');
  t.regex(whyNotReady(away(state)), /^ECONNREFUSED; tried again every few seconds, for up to \d+\w+ more$/);
  readied(state);
  t.is(whyNotReady(state), 'no coordinator answers');
});

test('why the backend is away is said once for each reason, and no more once it is ready', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  const refused = `http://h:1: ECONNREFUSED; tried again every few seconds, for up to ${formatDuration(SETTINGS.waitBackendMs)} more`;
  t.like(onReadiness(state, 0, 0, 'http://h:1: ECONNREFUSED').at(-1), { kind: 'say', state: 'not-ready', detail: refused });
  t.deepEqual(kinds(onReadiness(state, 0, 0, 'http://h:1: ECONNREFUSED')), ['note-away', 'ask']);
  t.deepEqual(kinds(onReadiness(state, 0, 0, 'http://h:1: answered 503')), ['note-away', 'ask', 'say']);
  t.like(onReadiness(state, 0, 0, null)[0], { kind: 'say', state: 'ready', detail: '' });
});

test('L26: whatever the backend is, the beats begin with init, and say more only once one was answered', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onReadiness(state, 0, 0, null);
  t.is(workerState(state), 'init');
  onBeat(state, 0, beatReply());
  t.is(workerState(state), 'ready');
});

test('a worker that works with some of its endpoints says which it does without', (t) => {
  const state = newState({ ...SETTINGS, endpoints: ['http://one:1', 'http://two:2'] }, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  onReadiness(state, 0, 0, null);
  t.like(onReadiness(state, 0, 1, 'http://two:2: answered 502').at(-1), {
    kind: 'say',
    state: 'ready',
    detail: 'without http://two:2: answered 502',
  });
});

test('a worker whose disk has no room for results says so while it lasts', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  onReadiness(state, 0, 0, null);
  const told = onDiskSpace(state, 0, 'no space in /data: 1 KiB are free, 16 MiB are wanted').at(-1);
  t.like(told, {
    kind: 'say',
    state: 'ready',
    detail: 'keeps its results in memory: no space in /data: 1 KiB are free, 16 MiB are wanted',
  });
  t.like(onDiskSpace(state, 0, null).at(-1), { kind: 'say', state: 'ready', detail: '' });
});

test('a worker without a backend says for how long it goes on trying, however much the server has said', (t) => {
  const state = newState({ ...SETTINGS, waitBackendMs: 900_000 }, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  onReadiness(state, 0, 0, `http://h:1: ${'x'.repeat(500)}`);
  const leftAt = (lastTickMs: number): string => {
    state.lastTickMs = lastTickMs;
    return whyNotReady(state);
  };
  t.regex(leftAt(31_000), /x; tried again every few seconds, for up to 15m more$/);
  t.regex(leftAt(61_000), /for up to 14m more$/);
  t.regex(leftAt(865_000), /for up to 40s more$/);
  t.is(leftAt(0).length, MAX_DETAIL_CHARACTERS);
  t.regex(leftAt(900_000), /tried again every few seconds$/);
});
