import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { FINISHED_TIMEOUT_MS } from '../../../runtime/worker/drain.ts';
import {
  onBeat,
  onConnected,
  onDrain,
  onPollFailed,
  onReadiness,
  onReply,
  onStart,
  onStored,
  onTick,
} from '../../../runtime/worker/machine.ts';
import { newState, type State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import { assignment, beatReply, ended, greeting, kinds, ok, outcome, polls, ref, SETTINGS } from '../../support/worker-state.ts';

const HELLO = { session: 1, poll: 1 };

/** A worker in an open session that executes items 1 and 2 and has queued 3; poll 2 waits. */
function working(settings: Partial<typeof SETTINGS> = {}): State {
  const { state } = greeting(settings);
  const commands = onReply(state, 0, HELLO, ok({ batch: 1, assignments: [assignment(1), assignment(2), assignment(3)] }));
  checkState(state);
  if (kinds(commands).join() !== 'start,start,poll') throw new Error(`unexpected start: ${kinds(commands).join()}`);
  return state;
}

test('at the start the backend is asked, and a coordinator is looked for; nothing else', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  t.deepEqual(kinds(onStart(state, 0)), ['reconnect', 'ask']);
});

test('the worker says init until the backend has answered, polls only once a beat was answered, and is ready with it', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  t.deepEqual(kinds(onConnected(state, 0)), []);
  t.deepEqual(
    polls(onBeat(state, 0, beatReply())).map((poll) => poll.capacity),
    [0],
  );
  t.deepEqual(onReadiness(state, 0, 0, null), [{ kind: 'say', state: 'ready', detail: '' }]);
  t.like(polls(onReply(state, 0, HELLO, ok()))[0], { capacity: 4 });
});

test('a backend that does not answer at the start: not ready, capacity 0', (t) => {
  const state = newState(SETTINGS, 0, [], 0);
  onStart(state, 0);
  onBeat(state, 0, beatReply());
  t.deepEqual(onReadiness(state, 0, 0, 'h'), [
    { kind: 'note-away', detail: 'h' },
    { kind: 'ask', endpoint: 0, tries: 1 },
    { kind: 'say', state: 'not-ready', detail: 'h; tried again every few seconds, for up to 15m more' },
  ]);
});

test('L34: an item is executed, its outcome stored, sent, and forgotten only once acknowledged', (t) => {
  const state = working();
  t.deepEqual(onOneEnded(state, 5, ref(1), ended(1)), [
    { kind: 'start', assignment: assignment(3), endpoint: 0 },
    { kind: 'store', outcomes: [outcome(1)] },
  ]);
  const [poll] = polls(onStored(state, 6, [ref(1)]));
  t.like(poll, { poll: 3, isAwaiting: true, outcomes: [outcome(1)], acknowledgedBatch: 1 });
  t.deepEqual(kinds(onReply(state, 7, { session: 1, poll: 2 }, ok())), [], 'the older poll is answered empty');
  t.deepEqual(onReply(state, 8, { session: 1, poll: 3 }, ok({ acknowledged: [ref(1)] }))[0], { kind: 'forget', refs: [ref(1)] });
  checkState(state);
});

test('L34: an outcome in a poll that failed is sent again', (t) => {
  const state = working();
  onOneEnded(state, 5, ref(1), ended(1));
  onStored(state, 6, [ref(1)]);
  t.deepEqual(kinds(onPollFailed(state, 7, { session: 1, poll: 3 })), ['reconnect']);
  t.deepEqual(kinds(onPollFailed(state, 7, { session: 1, poll: 2 })), [], 'one way is looked for once');
  t.like(polls(onConnected(state, 8))[0], { session: 1, poll: 4, outcomes: [outcome(1)] });
});

test('L34: an acknowledgement under an epoch below the highest seen is ignored, and its sender is left', (t) => {
  const state = working();
  onOneEnded(state, 5, ref(1), ended(1));
  onStored(state, 6, [ref(1)]);
  onBeat(state, 7, beatReply(4, 7));
  t.deepEqual(kinds(onConnected(state, 8)), ['poll']);
  const commands = onReply(state, 9, { session: 2, poll: 1 }, ok({ epoch: 3, acknowledged: [ref(1)], stale: [ref(1)] }));
  t.deepEqual(kinds(commands), ['reconnect']);
  t.is(state.counts.finished, 1);
  t.like(polls(onConnected(state, 10))[0], { session: 3, outcomes: [outcome(1)], highestEpoch: 4 });
});

test('a new epoch is kept before anything that the reply brings is done', (t) => {
  const state = working();
  onOneEnded(state, 5, ref(1), ended(1));
  onStored(state, 6, [ref(1)]);
  const commands = onReply(state, 7, { session: 1, poll: 3 }, ok({ epoch: 2, acknowledged: [ref(1)] }));
  t.deepEqual(commands.slice(0, 2), [
    { kind: 'keep-epoch', epoch: 2 },
    { kind: 'forget', refs: [ref(1)] },
  ]);
});

test('a beat that is answered under a higher epoch takes the polls away from the deposed coordinator', (t) => {
  const state = working();
  t.deepEqual(kinds(onBeat(state, 5, beatReply(1, 5))), ['reconnect', 'keep-epoch']);
  t.deepEqual(
    kinds(onReply(state, 6, { session: 1, poll: 2 }, ok({ batch: 2, assignments: [assignment(9)] }))),
    [],
    'its late reply is of an older session',
  );
  t.like(polls(onConnected(state, 7))[0]?.hello, [
    { ...ref(1), state: 'started' },
    { ...ref(2), state: 'started' },
    { ...ref(3), state: 'queued' },
  ]);
});

test('L26: hello-needed opens a new session with everything held', (t) => {
  const state = working();
  const [hello] = polls(onReply(state, 5, { session: 1, poll: 2 }, { status: 'hello-needed', epoch: 0 }));
  t.like(hello, { session: 2, poll: 1, acknowledgedBatch: 0 });
  t.is(hello?.hello?.length, 3);
});

test('L26: a replaced boot leaves at once, by a beat or by a poll', (t) => {
  t.deepEqual(onReply(working(), 5, { session: 1, poll: 2 }, { status: 'superseded', epoch: 0 }), [
    { kind: 'leave', why: 'superseded', unacknowledged: 0, byMs: 5_005 },
  ]);
  t.deepEqual(onBeat(working(), 5, { ...beatReply(0, 5), isSuperseded: true }), [
    { kind: 'leave', why: 'superseded', unacknowledged: 0, byMs: 5_005 },
  ]);
});

test('L27: a batch that comes twice is taken once', (t) => {
  const state = working();
  const again = ok({ batch: 1, assignments: [assignment(1), assignment(2), assignment(3)], revoked: [ref(1)] });
  t.deepEqual(kinds(onReply(state, 5, { session: 1, poll: 2 }, again)), ['poll']);
  t.is(state.counts.started, 2);
});

test('L27: revoked items are stopped and dropped', (t) => {
  const state = working();
  const commands = onReply(state, 5, { session: 1, poll: 2 }, ok({ batch: 2, revoked: [ref(1), ref(3)] }));
  t.deepEqual(commands[0], { kind: 'stop', ref: ref(1) });
  t.is(state.held.size, 1);
  checkState(state);
});

test('L36: without a valid reply for the timeout nothing starts; what runs goes on; a hello comes first', (t) => {
  const state = working();
  t.deepEqual(onTick(state, SETTINGS.selfFenceTimeoutMs), []);
  const fencedAt = SETTINGS.selfFenceTimeoutMs + 1;
  t.deepEqual(onTick(state, fencedAt), [{ kind: 'reconnect' }, { kind: 'say', state: 'not-ready', detail: 'no coordinator answers' }]);
  t.deepEqual(onTick(state, fencedAt + 1), [], 'once');
  t.deepEqual(kinds(onOneEnded(state, fencedAt + 2, ref(1), ended(1))), ['store'], 'nothing is aborted, nothing starts');
  onStored(state, fencedAt + 2, [ref(1)]);
  t.deepEqual(kinds(onBeat(state, fencedAt + 3, beatReply(0, fencedAt + 3))), [], 'a beat alone does not lift it');
  t.like(polls(onConnected(state, fencedAt + 4))[0], { session: 2, capacity: 0, outcomes: [outcome(1)] });
  t.deepEqual(kinds(onReply(state, fencedAt + 5, { session: 2, poll: 1 }, ok())), ['start', 'say', 'poll']);
});

test('beats alone keep a worker whose poll waits from fencing itself, by the time at which they came', (t) => {
  const state = working();
  onBeat(state, 9_000, beatReply(0, 3_500));
  t.deepEqual(onTick(state, 7_400), []);
  t.deepEqual(kinds(onTick(state, 7_501)), ['reconnect', 'say']);
});

test('a drain says so first, hands back what has not started, lets the rest end, and leaves when all is acknowledged', (t) => {
  const state = working();
  const commands = onDrain(state, 5);
  t.deepEqual(commands[0], { kind: 'say', state: 'draining', detail: 'told to leave' });
  t.like(polls(commands)[0], { capacity: 0, returns: [{ ...ref(3), reason: 'drained', delayMs: 0 }] });
  t.deepEqual(onDrain(state, 6), [], 'a second order changes nothing');
  onReply(state, 6, { session: 1, poll: 2 }, ok());
  onReply(state, 7, { session: 1, poll: 3 }, ok({ acknowledged: [ref(3)], batch: 2, assignments: [assignment(8)] }));
  t.is(state.counts.returning, 1, 'L36: what is assigned during a drain goes back');
  for (const index of [1, 2]) onOneEnded(state, 8, ref(index), ended(index));
  onStored(state, 9, [ref(1), ref(2)]);
  const [last] = [...state.session.inFlight].slice(-1);
  const end = onReply(state, 10, { session: 1, poll: last ?? 0 }, ok({ order: 'drain', acknowledged: [ref(1), ref(2), ref(8)] }));
  t.deepEqual(kinds(end), ['forget', 'poll', 'leave'], 'the last poll tells that it leaves');
  t.like(end[2], { why: 'drained', unacknowledged: 0 });
  t.deepEqual(onTick(state, 11), []);
});

test('L36: what has not ended within the drain timeout is aborted and handed back; unacknowledged outcomes stay', (t) => {
  const state = working({ drainTimeoutMs: 1_000 });
  onDrain(state, 0);
  onOneEnded(state, 500, ref(1), ended(1));
  onStored(state, 500, [ref(1)]);
  t.deepEqual(onTick(state, 750)[0], { kind: 'stop', ref: ref(2) }, 'a quarter of the time is left for handing over');
  t.deepEqual(kinds(onOneEnded(state, 751, ref(2), ended(2))), []);
  t.deepEqual(onTick(state, 1_000), [{ kind: 'leave', why: 'given-up', unacknowledged: 1, byMs: 1_000 }]);
});

test('an idle worker that is told to drain leaves at once, and the order may come from the coordinator', (t) => {
  const { state } = greeting();
  const commands = onReply(state, 0, HELLO, ok({ order: 'drain', reason: 'maintenance' }));
  t.like(commands, [{ kind: 'say', detail: 'maintenance' }, { kind: 'poll' }, { kind: 'leave', why: 'drained', unacknowledged: 0 }]);
});

test('the run is finished: the worker stops what it does, says what it holds, and leaves when that is acknowledged', (t) => {
  const state = working();
  onOneEnded(state, 4, ref(1), ended(1));
  onStored(state, 4, [ref(1)]);
  const commands = onReply(state, 5, { session: 1, poll: 2 }, ok({ order: 'finished' }));
  t.deepEqual(
    commands.filter(({ kind }) => kind === 'stop' || kind === 'leave').map(({ kind }) => kind),
    ['stop', 'stop'],
  );
  const held = [ref(1), ref(2), ref(3)];
  const left = onReply(state, 6, { session: 1, poll: 3 }, ok({ order: 'finished', acknowledged: held }));
  t.like(left.at(-1), { kind: 'leave', why: 'finished', unacknowledged: 0 });
});

test('the run is finished and its coordinator gone: the worker leaves soon, whatever it holds', (t) => {
  const state = working();
  onReply(state, 5, { session: 1, poll: 2 }, ok({ order: 'finished' }));
  t.like(onTick(state, 5 + FINISHED_TIMEOUT_MS).at(-1), { kind: 'leave', why: 'finished' });
});

test('L26: what belongs to an older session is ignored', (t) => {
  const state = working();
  onReply(state, 5, { session: 1, poll: 2 }, { status: 'hello-needed', epoch: 0 });
  t.deepEqual(onReply(state, 6, { session: 1, poll: 9 }, ok({ order: 'finished' })), []);
  t.deepEqual(onPollFailed(state, 6, { session: 1, poll: 9 }), []);
});

test('a hello that failed is said again, under a new session', (t) => {
  const { state } = greeting();
  t.deepEqual(kinds(onPollFailed(state, 5, HELLO)), ['reconnect']);
  t.like(polls(onConnected(state, 6))[0], { session: 2, poll: 1 });
});
