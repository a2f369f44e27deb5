import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { onBeat, onConnected, onDrain, onReply, onSessionEnded, onStored, onTick, onWritten } from '../../../runtime/worker/machine.ts';
import type { State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import { assignment, beatReply, ended, greeting, kinds, ok, outcome, polls, ref, SETTINGS } from '../../support/worker-state.ts';

/** The worker's machine over a stream: messages leave one after the other, and replies come as they please. */

const ON_STREAM = { transport: 'stream' } as const;
const FIRST = { session: 1, poll: 1 };
const REPLY = { session: 1, poll: 0 };

/** In an open session, executing items 1 and 2, with 3 queued; the message that acknowledges them has left. */
function working(): State {
  const { state, commands } = greeting(ON_STREAM);
  if (kinds(commands).filter((kind) => kind === 'poll').length !== 1) throw new Error('one hello is said');
  onWritten(state, 0, FIRST);
  onReply(state, 0, REPLY, ok({ batch: 1, assignments: [assignment(1), assignment(2), assignment(3)] }));
  onWritten(state, 0, { session: 1, poll: 2 });
  checkState(state);
  return state;
}

/** Ticks up to a moment, as often as a worker's loop does. */
function ticks(state: State, fromMs: number, toMs: number): ReturnType<typeof onTick>[number][] {
  const commands: ReturnType<typeof onTick>[number][] = [];
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 250) {
    onBeat(state, nowMs, beatReply(0, nowMs));
    commands.push(...onTick(state, nowMs));
    for (const poll of polls(state.commands)) onWritten(state, nowMs, poll);
    for (const number of [...state.session.inFlight]) onWritten(state, nowMs, { session: state.session.number, poll: number });
  }
  return commands;
}

test('L26: a stream opens with a hello; nothing else is said before it is answered', (t) => {
  const { state, commands } = greeting(ON_STREAM);
  t.like(polls(commands)[0], { session: 1, poll: 1, hello: [], waitMs: 0, isAwaiting: false });
  t.deepEqual(kinds(onWritten(state, 0, FIRST)), []);
  t.deepEqual(kinds(onReply(state, 1, REPLY, ok())), [], 'there is no news');
});

test('L27: what comes is acknowledged by a message of its own, at once', (t) => {
  const { state } = greeting(ON_STREAM);
  onWritten(state, 0, FIRST);
  const commands = onReply(state, 0, REPLY, ok({ batch: 1, assignments: [assignment(1)] }));
  t.like(polls(commands)[0], { poll: 2, acknowledgedBatch: 1, started: [ref(1)], waitMs: 0 });
});

test('news waits for the message before it to leave, and then goes together', (t) => {
  const state = working();
  onOneEnded(state, 1, ref(1), ended(1));
  t.like(polls(onStored(state, 1, [ref(1)]))[0], { poll: 3, outcomes: [outcome(1)] });
  onOneEnded(state, 2, ref(2), ended(2));
  t.deepEqual(polls(onStored(state, 2, [ref(2)])), []);
  onOneEnded(state, 2, ref(3), ended(3));
  t.deepEqual(polls(onStored(state, 2, [ref(3)])), []);
  t.deepEqual(polls(onWritten(state, 3, { session: 1, poll: 3 })), [], 'the outcome before them is not answered');
  t.like(polls(onReply(state, 4, REPLY, ok({ acknowledged: [ref(1)] })))[0], { poll: 4, outcomes: [outcome(2), outcome(3)] });
  checkState(state);
});

test('outcomes wait for an answer no longer than a tick', (t) => {
  const state = working();
  onOneEnded(state, 1, ref(1), ended(1));
  onStored(state, 1, [ref(1)]);
  onWritten(state, 2, { session: 1, poll: 3 });
  onOneEnded(state, 3, ref(2), ended(2));
  t.deepEqual(polls(onStored(state, 3, [ref(2)])), []);
  t.like(polls(onTick(state, 250))[0], { poll: 4, outcomes: [outcome(2)] });
});

test('what goes back waits for nothing, and neither does a slot to which no item is on its way', (t) => {
  const draining = working();
  onOneEnded(draining, 1, ref(1), ended(1));
  onStored(draining, 1, [ref(1)]);
  onWritten(draining, 2, { session: 1, poll: 3 });
  t.true(polls(onDrain(draining, 3)).length > 0);
  const starving = working();
  onOneEnded(starving, 1, ref(1), ended(1));
  onStored(starving, 1, [ref(1)]);
  onWritten(starving, 2, { session: 1, poll: 3 });
  starving.session.announced = 0;
  t.is(polls(onOneEnded(starving, 3, ref(2), ended(2))).length, 1);
});

test('L27: a batch after which none is to come is acknowledged with what is said next, at most a tick later', (t) => {
  const { state } = greeting({ ...ON_STREAM, concurrency: 1, prefetch: 1 });
  onWritten(state, 0, FIRST);
  t.deepEqual(polls(onReply(state, 0, REPLY, ok({ batch: 1, assignments: [assignment(1), assignment(2)] }))), []);
  t.like(polls(onTick(state, 250))[0], { poll: 2, acknowledgedBatch: 1, started: [ref(1)], capacity: 0 });
});

test('what left on an older stream lets nothing go on the newer one', (t) => {
  const state = working();
  onSessionEnded(state, 1, 1);
  onConnected(state, 2);
  t.is(state.session.inFlight.size, 1, 'the hello is leaving');
  onWritten(state, 3, { session: 1, poll: 1 });
  t.is(state.session.inFlight.size, 1);
});

test('L34, L36: a stream that ends stops nothing: a new session names all that is held, and sends again what was not acknowledged', (t) => {
  const state = working();
  onOneEnded(state, 1, ref(1), ended(1));
  onStored(state, 1, [ref(1)]);
  t.deepEqual(kinds(onSessionEnded(state, 2, 1)), ['reconnect']);
  t.deepEqual(kinds(onSessionEnded(state, 2, 1)), [], 'its end is heard once');
  const [hello] = polls(onConnected(state, 3));
  t.like(hello, { session: 2, poll: 1, outcomes: [outcome(1)] });
  t.deepEqual(
    hello?.hello?.map((item) => item.state),
    ['finished', 'started', 'started'],
  );
  checkState(state);
});

test('L26: hello-needed opens a new session, on a stream of its own', (t) => {
  const state = working();
  t.like(polls(onReply(state, 1, REPLY, { status: 'hello-needed', epoch: 0 }))[0], { session: 2, poll: 1 });
  t.deepEqual(kinds(onReply(state, 2, REPLY, ok({ batch: 9, assignments: [assignment(9)] }))), [], 'what comes of the old one is ignored');
});

test('W8: a stream is over when nothing comes for six heartbeat intervals; what runs goes on', (t) => {
  const state = working();
  const before = ticks(state, 250, 6 * SETTINGS.heartbeatIntervalMs);
  t.false(kinds(before).includes('reconnect'));
  const commands = ticks(state, 3_250, 3_250);
  t.true(kinds(commands).includes('reconnect'));
  t.false(kinds(commands).includes('stop'));
  t.is(state.counts.started, 2);
  t.like(polls(onConnected(state, 3_300))[0], { session: 2, poll: 1 });
});

test('W8: any word ends the silence; a hello that nobody answers is silence too', (t) => {
  const state = working();
  ticks(state, 250, 3_000);
  onReply(state, 3_000, REPLY, ok());
  t.false(kinds(ticks(state, 3_250, 6_000)).includes('reconnect'));
  const { state: greeted } = greeting(ON_STREAM);
  t.true(kinds(ticks(greeted, 250, 3_250)).includes('reconnect'));
});

test('W8: a worker that stood still itself does not take the coordinator for silent', (t) => {
  const state = working();
  onBeat(state, 60_000, beatReply(0, 60_000));
  t.false(kinds(onTick(state, 60_000)).includes('reconnect'));
});

test('W8: where a long message was slow to come the next silence is borne for longer', (t) => {
  const state = working();
  ticks(state, 250, 3_250);
  onConnected(state, 3_300);
  t.false(kinds(ticks(state, 3_500, 9_250)).includes('reconnect'));
  t.true(kinds(ticks(state, 9_500, 9_750)).includes('reconnect'));
});

test('W7: with nothing to say a worker says so every twenty heartbeat intervals', (t) => {
  const { state } = greeting(ON_STREAM);
  onWritten(state, 0, FIRST);
  onReply(state, 0, REPLY, ok());
  const sent: number[] = [];
  for (let nowMs = 250; nowMs <= 30_000; nowMs += 250) {
    for (const poll of polls(onTick(state, nowMs))) {
      sent.push(nowMs);
      onWritten(state, nowMs, poll);
    }
    onReply(state, nowMs, REPLY, ok());
  }
  t.deepEqual(sent, [10_000, 20_000, 30_000]);
});

test('a beat under a higher epoch takes the session away from a deposed coordinator', (t) => {
  const state = working();
  t.deepEqual(kinds(onBeat(state, 5, beatReply(1, 5))), ['reconnect', 'keep-epoch']);
  t.like(polls(onConnected(state, 7))[0], { session: 2, poll: 1, highestEpoch: 1 });
});

test('L36: in a drain what comes is handed back over the stream', (t) => {
  const state = working();
  onDrain(state, 1);
  onWritten(state, 1, { session: 1, poll: 3 });
  const commands = onReply(state, 2, REPLY, ok({ batch: 2, assignments: [assignment(7)] }));
  t.true(polls(commands).some((poll) => poll.returns.some((one) => one.index === 7 && one.reason === 'drained')));
});
