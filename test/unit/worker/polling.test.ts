import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { startQueued, take } from '../../../runtime/worker/holding.ts';
import {
  capacity,
  MAX_POLL_BYTES,
  MAX_POLL_ITEMS,
  MAX_UNACKNOWLEDGED,
  MAX_UNACKNOWLEDGED_BYTES,
  openSession,
  pollWhereDue,
  RESEND_AFTER_MS,
  resendOverdue,
  sendAllAgain,
} from '../../../runtime/worker/polling.ts';
import { newState, type State } from '../../../runtime/worker/state.ts';
import { assignment, away, outcome, polls, readied, ref, SETTINGS } from '../../support/worker-state.ts';

function connected(found: Parameters<typeof newState>[2] = []): State {
  const state = newState(SETTINGS, 3, found, 0);
  state.isConnected = true;
  state.isRegistered = true;
  return readied(state);
}

function due(state: State, nowMs = 0): ReturnType<typeof polls> {
  pollWhereDue(state, nowMs);
  const sent = polls(state.commands);
  state.commands = [];
  checkState(state);
  return sent;
}

/** A state whose session is open, with no poll in flight. */
function open(found: Parameters<typeof newState>[2] = []): State {
  const state = connected(found);
  const [hello] = due(state);
  state.session.inFlight.delete(hello?.poll ?? 0);
  state.session.isOpen = true;
  return state;
}

test('L26: the first poll of a session is a hello with everything held; it does not wait', (t) => {
  const state = connected([outcome(4, 2)]);
  take(state, assignment(5));
  const [hello] = due(state);
  t.like(hello, { session: 1, poll: 1, highestEpoch: 3, waitMs: 0, isAwaiting: false });
  t.deepEqual(hello?.hello, [
    { ...ref(4, 2), state: 'finished' },
    { ...ref(5), state: 'queued' },
  ]);
  t.deepEqual(hello?.outcomes, [outcome(4, 2)]);
  t.deepEqual(due(state), [], 'nothing else before it is answered');
});

test('a poll waits; news makes a second one follow, and a third waits for a free place', (t) => {
  const state = open();
  t.like(due(state)[0], { poll: 2, hello: null, waitMs: SETTINGS.pollWaitMs, isAwaiting: false });
  t.deepEqual(due(state), [], 'no news');
  for (const index of [1, 2]) {
    state.mode = { kind: 'draining', isFinished: false, untilMs: 1, giveUpAtMs: 2, endMs: 3 };
    take(state, assignment(index));
    const sent = due(state);
    t.is(sent.length, index === 1 ? 1 : 0);
    if (index === 1) t.like(sent[0], { poll: 3, isAwaiting: true, returns: [{ ...ref(1), reason: 'drained' }] });
  }
});

test('more capacity is news, and so is a batch that no poll has acknowledged', (t) => {
  const grown = open();
  due(grown);
  grown.session.announced = 3;
  t.like(due(grown)[0], { isAwaiting: true, capacity: 4 });
  const received = open();
  due(received);
  received.session.receivedBatch = 1;
  t.like(due(received)[0], { isAwaiting: true, acknowledgedBatch: 1 });
  t.deepEqual(due(received), []);
});

test('capacity: concurrency and prefetch less what is unfinished; nothing when it may not start', (t) => {
  const state = connected();
  t.is(capacity(state), 4);
  take(state, assignment(1));
  t.is(capacity(state), 3);
  state.isFenced = true;
  t.is(capacity(state), 0);
  state.isFenced = false;
  away(state);
  t.is(capacity(state), 0);
  readied(state);
  state.mode = { kind: 'draining', isFinished: false, untilMs: 1, giveUpAtMs: 2, endMs: 3 };
  t.is(capacity(state), 0);
});

test('capacity ends where too much is unacknowledged, by number and by bytes', (t) => {
  const many = connected(Array.from({ length: MAX_UNACKNOWLEDGED - 1 }, (_, n) => outcome(n)));
  t.is(capacity(many), 1);
  const large = connected([outcome(1, 1, { line: new Uint8Array(MAX_UNACKNOWLEDGED_BYTES) })]);
  t.is(capacity(large), 0);
});

test('a poll carries at most 4 MiB of lines, but one line of any size', (t) => {
  const line = new Uint8Array(MAX_POLL_BYTES / 2 + 1);
  const state = connected([outcome(1, 1, { line }), outcome(2, 1, { line }), outcome(3)]);
  t.deepEqual(
    due(state)[0]?.outcomes.map((one) => one.index),
    [1],
  );
  const single = connected([outcome(1, 1, { line: new Uint8Array(MAX_POLL_BYTES * 2) }), outcome(2)]);
  t.deepEqual(
    due(single)[0]?.outcomes.map((one) => one.index),
    [1],
  );
  const many = connected(Array.from({ length: MAX_POLL_ITEMS + 10 }, (_, n) => outcome(n)));
  t.is(due(many)[0]?.outcomes.length, MAX_POLL_ITEMS);
});

test('what is in a poll is not sent again until that is asked for, or it is overdue', (t) => {
  const state = open([outcome(1)]);
  t.deepEqual(due(state)[0]?.outcomes, [], 'the hello carried it');
  resendOverdue(state, RESEND_AFTER_MS - 1);
  t.deepEqual(due(state), []);
  resendOverdue(state, RESEND_AFTER_MS);
  t.deepEqual(due(state, RESEND_AFTER_MS)[0]?.outcomes, [outcome(1)]);
  state.session.inFlight.clear();
  sendAllAgain(state);
  t.deepEqual(due(state, RESEND_AFTER_MS)[0]?.outcomes, [outcome(1)]);
});

test('L26: a new session has a higher number and begins with a hello', (t) => {
  const state = open([outcome(1)]);
  openSession(state);
  t.like(due(state)[0], { session: 2, poll: 1, acknowledgedBatch: 0, outcomes: [outcome(1)] });
});

test('nobody is polled before the worker is registered and connected', (t) => {
  for (const change of [
    (s: State) => (s.isConnected = false),
    (s: State) => (s.isRegistered = false),
    (s: State) => (s.mode = { kind: 'left' }),
  ]) {
    const state = connected();
    change(state);
    t.deepEqual(due(state), []);
  }
});

test('L32: what has started is told with the next poll, at the latest with one of its own after a tick, and once', (t) => {
  const state = open();
  due(state);
  take(state, assignment(1));
  startQueued(state, 0);
  state.commands = [];
  t.deepEqual(due(state), [], 'a short item would be told for nothing');
  state.isTellingDue = true;
  t.deepEqual(
    due(state).map((poll) => poll.started),
    [[ref(1)]],
  );
  state.session.inFlight.clear();
  t.deepEqual(
    due(state).map((poll) => poll.started),
    [[]],
  );
});

test('L32: a poll of unknown fate may have told nothing, and a hello tells of everything', (t) => {
  const state = open();
  take(state, assignment(1));
  startQueued(state, 0);
  state.commands = [];
  t.deepEqual(due(state)[0]?.started, [ref(1)]);
  state.session.inFlight.clear();
  sendAllAgain(state);
  t.deepEqual(due(state)[0]?.started, [ref(1)]);
  openSession(state);
  const [hello] = due(state);
  t.deepEqual([hello?.started, hello?.hello], [[], [{ ...ref(1), state: 'started' }]]);
});
