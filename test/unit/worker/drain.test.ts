import test from 'ava';
import type { ComputeHint } from '../../../runtime/model/hint.ts';
import type { DrainStepKind } from '../../../runtime/model/session.ts';
import { checkState } from '../../../runtime/worker/check-state.ts';
import type { Command } from '../../../runtime/worker/commands.ts';
import { HAND_OVER_MS } from '../../../runtime/worker/drain.ts';
import { onDrain, onHint, onReply, onStored, onTick } from '../../../runtime/worker/machine.ts';
import { workerState } from '../../../runtime/worker/say.ts';
import type { State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import { assignment, ended, greeting, kinds, type OkReply, ok, polls, ref, type SETTINGS } from '../../support/worker-state.ts';

/** A worker that executes items 1 and 2 and has queued 3; poll 2 waits. */
function working(settings: Partial<typeof SETTINGS> = {}): State {
  const { state } = greeting(settings);
  onReply(state, 0, { session: 1, poll: 1 }, ok({ batch: 1, assignments: [assignment(1), assignment(2), assignment(3)] }));
  return state;
}

function hint(more: Partial<ComputeHint> = {}): ComputeHint {
  return { node: null, worker: null, severity: 'drain', untilMs: null, reason: 'spot', ...more };
}

function stepsIn(
  commands: readonly Command[],
): readonly { readonly step: DrainStepKind; readonly items: number; readonly remainingMs: number }[] {
  return polls(commands)
    .flatMap((poll) => poll.drainSteps)
    .map(({ step, items, remainingMs }) => ({ step, items, remainingMs }));
}

/** All polls under way are answered, as the coordinator does: the older ones with the order alone. */
function answer(state: State, nowMs: number, more: Partial<Omit<OkReply, 'status'>> = {}): readonly Command[] {
  const { order = 'work', drainMs = 0, reason = '', epoch = 0 } = more;
  const sent = [...state.session.inFlight];
  const commands = sent.flatMap((poll, at) => {
    const isNewest = at === sent.length - 1;
    return onReply(state, nowMs, { session: state.session.number, poll }, ok(isNewest ? more : { order, drainMs, reason, epoch }));
  });
  checkState(state);
  return commands;
}

/** One item of so long has been seen before the two that run began. */
function observed(durationMs: number): State {
  const { state } = greeting({ concurrency: 2 });
  onReply(state, 0, { session: 1, poll: 1 }, ok({ batch: 1, assignments: [assignment(0)] }));
  onOneEnded(state, durationMs, ref(0), ended(0));
  onStored(state, durationMs, [ref(0)]);
  answer(state, durationMs, { batch: 2, acknowledged: [ref(0)], assignments: [assignment(1), assignment(2)] });
  answer(state, durationMs);
  return state;
}

test('of a short drain what had started is told as handed back, however late in it the tick comes', (t) => {
  const state = working();
  onHint(state, 100, hint({ untilMs: 2_100 }));
  answer(state, 200, { acknowledged: [ref(3)] });
  const late = onTick(state, 1_900);
  t.deepEqual(stepsIn(late), [{ step: 'returned-started', items: 2, remainingMs: 200 }]);
  t.false(kinds(late).includes('leave'));
  t.like(onTick(state, 2_400).at(-1), { kind: 'leave', why: 'given-up', byMs: 2_100 });
});

test('the steps of a drain are told in their order, each once', (t) => {
  const state = working();
  const commands = onHint(state, 100, hint({ untilMs: 15_100 }));
  t.deepEqual(stepsIn(commands), [
    { step: 'stopped-pulling', items: 0, remainingMs: 15_000 },
    { step: 'returned-unstarted', items: 1, remainingMs: 15_000 },
    { step: 'finishing', items: 2, remainingMs: 15_000 },
  ]);
  t.is(polls(commands)[0]?.drainSteps[0]?.reason, 'spot');
  onOneEnded(state, 200, ref(1), ended(1));
  onStored(state, 200, [ref(1)]);
  answer(state, 300);
  answer(state, 13_000);
  const atEnd = onTick(state, 15_100 - HAND_OVER_MS);
  t.deepEqual(stepsIn(atEnd), [{ step: 'returned-started', items: 1, remainingMs: HAND_OVER_MS }]);
  const left = answer(state, 13_200, { acknowledged: [ref(1), ref(2), ref(3)] });
  t.deepEqual(stepsIn(left), [{ step: 'leaving', items: 0, remainingMs: 1_900 }]);
  t.deepEqual(kinds(left), ['forget', 'poll', 'leave']);
  t.like(left.at(-1), { why: 'drained', byMs: 15_100 });
});

test('notice 30 s and items of 45 s: what was seen to take so long goes back at once', (t) => {
  const state = observed(45_000);
  const commands = onHint(state, 46_000, hint({ untilMs: 76_000 }));
  t.deepEqual(
    commands.filter((one) => one.kind === 'stop'),
    [
      { kind: 'stop', ref: ref(1) },
      { kind: 'stop', ref: ref(2) },
    ],
  );
  t.deepEqual(
    stepsIn(commands).map((one) => [one.step, one.items]),
    [
      ['stopped-pulling', 0],
      ['returned-unstarted', 0],
      ['returned-started', 2],
    ],
  );
});

test('with nothing seen an item may run until the deadline; with something seen that fits, likewise', (t) => {
  for (const state of [working(), observed(1_000)]) {
    const commands = onHint(state, 1_100, hint({ untilMs: 31_100 }));
    t.false(kinds(commands).includes('stop'));
    t.is(state.counts.started, 2);
  }
});

test('notice 0: everything goes back at once, and the worker does not wait for longer than a second', (t) => {
  const state = working();
  const commands = onHint(state, 100, hint({ untilMs: 100 }));
  t.deepEqual(kinds(commands), ['say', 'stop', 'stop', 'poll']);
  t.is(polls(commands)[0]?.returns.length, 3);
  t.deepEqual(kinds(onTick(state, 1_000)), []);
  t.like(onTick(state, 1_100).at(-1), { kind: 'leave', why: 'given-up' });
});

test('an item that turns out to be of the long kind goes back before the deadline', (t) => {
  const state = observed(1_000);
  state.durations.ms.push(60_000);
  onHint(state, 1_100, hint({ untilMs: 16_100 }));
  t.is(state.counts.started, 2, 'expected to take 1 s');
  onTick(state, 2_100);
  t.is(state.counts.started, 0, 'by now like the one of 60 s');
});

test('a hint holds: nothing new, unstarted items back, started ones end, and the worker stays until the hint is withdrawn', (t) => {
  const state = working();
  const commands = onHint(state, 100, hint({ severity: 'hint' }));
  t.deepEqual(commands[0], { kind: 'say', state: 'draining', detail: 'only holds: spot' });
  t.deepEqual(
    stepsIn(commands).map((one) => [one.step, one.items, one.remainingMs]),
    [
      ['stopped-pulling', 0, 0],
      ['returned-unstarted', 1, 0],
      ['finishing', 2, 0],
    ],
  );
  for (const index of [1, 2]) onOneEnded(state, 500, ref(index), ended(index));
  onStored(state, 500, [ref(1), ref(2)]);
  t.false(kinds(answer(state, 600, { acknowledged: [ref(1), ref(2), ref(3)] })).includes('leave'));
  t.false(kinds(onTick(state, 3_000)).includes('leave'));
  answer(state, 3_000);
  const back = onHint(state, 3_001, null);
  t.deepEqual(stepsIn(back), [{ step: 'withdrawn', items: 0, remainingMs: 0 }]);
  t.is(workerState(state), 'ready');
});

test('a drain can be withdrawn as long as the worker has not left; what was handed back stays so', (t) => {
  const state = observed(45_000);
  onHint(state, 46_000, hint({ untilMs: 61_000 }));
  t.is(state.counts.returning, 2);
  answer(state, 46_050);
  const commands = onHint(state, 46_100, null);
  t.deepEqual(kinds(commands), ['say', 'poll']);
  t.is(state.counts.returning, 2);
  t.like(polls(commands)[0], { capacity: 2 }, 'of items that take so long none is held ready');
});

test('a stricter hint tightens, a laxer one lengthens nothing; withdrawn, the other source counts alone', (t) => {
  const state = working();
  onHint(state, 0, hint({ untilMs: 15_000 }));
  onHint(state, 10, hint({ untilMs: 60_000 }));
  t.like(state.mode, { kind: 'draining', endMs: 15_000 });
  onHint(state, 20, hint({ untilMs: 5_000 }));
  t.like(state.mode, { endMs: 5_000 });
  onDrain(state, 30, 'told to end by SIGTERM');
  t.like(state.mode, { endMs: 5_000 });
  onHint(state, 40, null);
  t.like(state.mode, { endMs: 20_030 }, 'the signal stands');
  t.is(state.drain.reason, 'told to end by SIGTERM');
});

test('the coordinator orders a drain within a time, and takes it back', (t) => {
  const state = working();
  answer(state, 1_000, { order: 'drain', drainMs: 15_000, reason: 'node' });
  t.like(state.mode, { kind: 'draining', endMs: 16_000 });
  answer(state, 1_200, { order: 'drain', drainMs: 14_900, reason: 'node' });
  t.like(state.mode, { endMs: 16_000 }, 'a word that was long on its way moves nothing');
  answer(state, 1_300, { order: 'work' });
  t.is(state.mode.kind, 'working');
});

test('an order without a time lets the drain take what the worker has set, from the first word on', (t) => {
  const state = working();
  answer(state, 1_000, { order: 'drain' });
  answer(state, 5_000, { order: 'drain' });
  t.like(state.mode, { kind: 'draining', endMs: 21_000 });
});

test('an older reply that arrives late does not undo the order of a newer one', (t) => {
  const state = working();
  onTick(state, 1);
  onOneEnded(state, 2, ref(1), ended(1));
  onStored(state, 3, [ref(1)]);
  t.deepEqual([...state.session.inFlight], [2, 3]);
  onReply(state, 4, { session: 1, poll: 3 }, ok({ order: 'drain', drainMs: 9_000 }));
  onReply(state, 5, { session: 1, poll: 2 }, ok({ order: 'work' }));
  t.is(state.mode.kind, 'draining');
});

test('a coordinator that has just begun knows nothing of a drain and ends none; a hold it ends', (t) => {
  const drained = working();
  answer(drained, 10, { order: 'drain', drainMs: 60_000 });
  answer(drained, 20, { order: 'work', epoch: 1 });
  t.is(drained.mode.kind, 'draining');
  answer(drained, 30, { order: 'hold', epoch: 1 });
  t.is(drained.mode.kind, 'draining');
  answer(drained, 40, { order: 'drain', drainMs: 60_000, epoch: 1 });
  answer(drained, 50, { order: 'work', epoch: 1 });
  t.is(drained.mode.kind, 'working', 'the new one has ordered it too, and takes it back');
  const held = working();
  answer(held, 10, { order: 'hold' });
  t.is(held.mode.kind, 'holding');
  answer(held, 20, { order: 'work', epoch: 1 });
  t.is(held.mode.kind, 'working');
});

test('gone: every execution is stopped and the worker ends at once', (t) => {
  const state = working();
  const commands = onHint(state, 100, hint({ severity: 'gone' }));
  t.deepEqual(commands, [{ kind: 'leave', why: 'gone', unacknowledged: 0, byMs: 1_100 }]);
  t.deepEqual(onHint(state, 101, null), [], 'no way back');
});

test('L36: what is assigned while it holds goes back', (t) => {
  const state = working();
  answer(state, 1, { order: 'hold', reason: 'spot' });
  answer(state, 2, { order: 'hold', reason: 'spot', batch: 2, assignments: [assignment(9)] });
  t.is(state.counts.returning, 2);
});

test('a drain that follows a hold goes on where that stood', (t) => {
  const state = working();
  answer(state, 1, { order: 'hold', reason: 'spot' });
  answer(state, 2, { order: 'drain', drainMs: 15_000, reason: 'interrupted' });
  t.like(state.mode, { kind: 'draining', endMs: 15_002 });
  t.is(state.drain.reason, 'interrupted');
  t.is(state.counts.started, 2);
});
