import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { MAX_GATHER_MS } from '../../../runtime/worker/gathering.ts';
import { onBeat, onDrain, onReply, onStored, onTick, onWake, onWritten } from '../../../runtime/worker/machine.ts';
import type { State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import { assignment, beatReply, ended, greeting, kinds, ok, outcome, polls, ref } from '../../support/worker-state.ts';

/** Outcomes gather while the slots have items to go on with, on a stream. */

const REPLY = { session: 1, poll: 0 };
const ITEM_MS = 2_000;
const SLOTS = 2;
const NOW_MS = 10_000;

/** Executing items 1 and 2 of two seconds, with eight more queued; the first outcome, of item 0, is stored, sent and acknowledged. */
function busy(): State {
  const { state } = greeting({ transport: 'stream', concurrency: SLOTS, prefetch: 100 });
  onWritten(state, 0, { session: 1, poll: 1 });
  const assignments = Array.from({ length: 11 }, (_, index) => assignment(index));
  onReply(state, 0, REPLY, ok({ batch: 1, assignments }));
  onWritten(state, 0, { session: 1, poll: 2 });
  onBeat(state, NOW_MS, beatReply(0, NOW_MS));
  onOneEnded(state, NOW_MS, ref(0), ended(0));
  Object.assign(state.credit.pace, { slotMs: ITEM_MS * 64, ended: 64 });
  onStored(state, NOW_MS, [ref(0)]);
  onWritten(state, NOW_MS, { session: 1, poll: 3 });
  onReply(state, NOW_MS, REPLY, ok({ batch: 2, assignments: [], acknowledged: [ref(0)] }));
  checkState(state);
  return state;
}

test('the first outcome after a while is stored at once, and what ends soon after it waits for more', (t) => {
  const state = busy();
  t.deepEqual(
    onOneEnded(state, NOW_MS + 10, ref(1), ended(1)).filter(({ kind }) => kind === 'store' || kind === 'wake'),
    [{ kind: 'wake', atMs: NOW_MS + MAX_GATHER_MS }],
  );
  t.deepEqual(kinds(onOneEnded(state, NOW_MS + 20, ref(2), ended(2))), ['start'], 'one wake is enough');
  checkState(state);
  t.deepEqual(onWake(state, NOW_MS + MAX_GATHER_MS), [{ kind: 'store', outcomes: [outcome(1), outcome(2)] }]);
  t.like(polls(onStored(state, NOW_MS + MAX_GATHER_MS + 1, [ref(1), ref(2)]))[0], { outcomes: [outcome(1), outcome(2)] });
  checkState(state);
});

test('one batch is stored at a time', (t) => {
  const state = busy();
  const lateMs = NOW_MS + 2 * MAX_GATHER_MS;
  t.true(kinds(onOneEnded(state, lateMs, ref(1), ended(1))).includes('store'));
  t.deepEqual(kinds(onOneEnded(state, lateMs + MAX_GATHER_MS, ref(2), ended(2))), ['start'], 'however late it is');
  const commands = onStored(state, lateMs + MAX_GATHER_MS, [ref(1)]);
  t.deepEqual(
    commands.filter(({ kind }) => kind === 'store'),
    [{ kind: 'store', outcomes: [outcome(2)] }],
  );
  checkState(state);
});

test('with nothing left to start nothing waits', (t) => {
  const state = busy();
  for (const index of [1, 2, 3, 4, 5, 6, 7, 8]) onOneEnded(state, NOW_MS + 10, ref(index), ended(index));
  t.is(state.queue.size, 0);
  t.true(kinds(onOneEnded(state, NOW_MS + 10, ref(9), ended(9))).length === 0, 'a batch is under way');
  t.true(state.gathering.isStoring);
});

test('a drain waits for nothing', (t) => {
  const state = busy();
  onOneEnded(state, NOW_MS + 10, ref(1), ended(1));
  const commands = onDrain(state, NOW_MS + 20);
  t.deepEqual(
    commands.filter(({ kind }) => kind === 'store'),
    [{ kind: 'store', outcomes: [outcome(1)] }],
  );
});

test('L27: a batch is acknowledged with the next outcomes, or without any after a while', (t) => {
  const state = busy();
  const more = ok({ batch: 3, assignments: [assignment(20)] });
  t.deepEqual(kinds(onReply(state, NOW_MS + 5, REPLY, more)), ['wake']);
  const [alone] = polls(onWake(state, NOW_MS + 2 * MAX_GATHER_MS));
  t.like(alone, { acknowledgedBatch: 3, outcomes: [] });
  const other = busy();
  onReply(other, NOW_MS + 5, REPLY, more);
  onOneEnded(other, NOW_MS + 10, ref(1), ended(1));
  onWake(other, NOW_MS + MAX_GATHER_MS);
  t.like(polls(onStored(other, NOW_MS + MAX_GATHER_MS, [ref(1)]))[0], { acknowledgedBatch: 3, outcomes: [outcome(1)] });
});

test('what a tick has to tell goes with outcomes that are about to come', (t) => {
  const state = busy();
  onOneEnded(state, NOW_MS + 10, ref(1), ended(1));
  t.deepEqual(polls(onTick(state, NOW_MS + 20)), []);
  t.is(polls(onTick(state, NOW_MS + 2 * MAX_GATHER_MS)).length, 1, 'at most so long');
});
