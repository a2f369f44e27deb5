import test from 'ava';
import type { ItemReturn } from '../../../runtime/model/session.ts';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { FAILURE_ROW, IDLE_MS, isClosed } from '../../../runtime/worker/endpoint/endpoint.ts';
import { MAX_THROTTLED_ATTEMPTS } from '../../../runtime/worker/execution.ts';
import { onDrain, onKnownGood, onReadiness, onReply, onTick } from '../../../runtime/worker/machine.ts';
import { find, type State } from '../../../runtime/worker/state.ts';
import { onOneEnded } from '../../support/one-ended.ts';
import {
  assignment,
  ended,
  failure,
  greeting,
  kinds,
  ok,
  ref,
  refused,
  type SETTINGS,
  throttled,
  unreachable,
} from '../../support/worker-state.ts';

/** A worker with these items, as many of them started as run at a time. */
function working(indexes: readonly number[], settings: Partial<typeof SETTINGS> = {}): State {
  const { state } = greeting({ concurrency: 64, prefetch: 2, ...settings });
  for (let number = 1; number < state.endpoints.length; number++) onReadiness(state, 0, number, null);
  give(state, 0, indexes);
  return state;
}

let batches = 0;
function give(state: State, nowMs: number, indexes: readonly number[], attempt = 1): readonly string[] {
  batches += 1;
  const id = { session: state.session.number, poll: state.session.polls };
  return kinds(onReply(state, nowMs, id, ok({ batch: batches, assignments: indexes.map((index) => assignment(index, attempt)) })));
}

function stageOf(state: State, index: number, attempt = 1): string | undefined {
  checkState(state);
  return find(state, ref(index, attempt))?.stage.kind;
}

function returned(state: State, index: number): ItemReturn | undefined {
  const stage = find(state, ref(index))?.stage;
  return stage?.kind === 'returning' ? stage.item : undefined;
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n);

test('W4: a failure is held back until the endpoint gives a result to an item that started later', (t) => {
  const state = working([1, 2]);
  onOneEnded(state, 10, ref(1), failure(1));
  t.is(stageOf(state, 1), 'failed');
  give(state, 20, [3]);
  onOneEnded(state, 30, ref(2), ended(2));
  t.is(stageOf(state, 1), 'failed', 'item 2 had started before');
  onOneEnded(state, 40, ref(3), ended(3));
  t.is(stageOf(state, 1), 'storing');
});

test('W4: what is held back takes no slot and no place in the queue', (t) => {
  const state = working([1, 2, 3], { concurrency: 2, prefetch: 1 });
  const commands = onOneEnded(state, 10, ref(1), failure(1));
  t.true(kinds(commands).includes('start'));
  t.is(stageOf(state, 3), 'started');
});

test('W5: a row of failures goes back uncounted, and so does all that has not started', (t) => {
  const state = working(range(1, 70));
  for (const index of range(1, FAILURE_ROW)) onOneEnded(state, 10, ref(index), failure(index));
  for (const index of range(1, FAILURE_ROW)) t.like(returned(state, index), { reason: 'unavailable', delayMs: 500, detail: 'http_502' });
  t.is(state.counts.queued, 0);
  t.is(state.counts.storing, 0, 'nothing counts');
});

test('W5: so do fewer where nothing else is in flight', (t) => {
  const state = working([1, 2]);
  onOneEnded(state, 10, ref(1), failure(1));
  onOneEnded(state, 20, ref(2), failure(2));
  t.is(stageOf(state, 1), 'failed', 'the next item may be on its way');
  onTick(state, 20 + IDLE_MS);
  t.like(returned(state, 1), { reason: 'unavailable' });
  t.like(returned(state, 2), { reason: 'unavailable' });
});

test('W5: one sick endpoint among others: its items go back, the others get all the work', (t) => {
  const state = working(range(1, 6), { endpoints: ['http://one:1', 'http://two:2', 'http://three:3'] });
  const sick = range(1, 6).filter((index) => state.executing.get(ref(index))?.endpoint.number === 1);
  t.is(sick.length, 2);
  for (const index of sick) onOneEnded(state, 10, ref(index), failure(index));
  onTick(state, 10 + IDLE_MS);
  t.false(state.endpoints.slice(1, 2).some(isClosed));
  for (const index of sick) t.like(returned(state, index), { reason: 'unavailable' });
  give(state, 2_000, range(7, 6));
  for (const index of range(7, 6)) t.not(state.executing.get(ref(index))?.endpoint.number, 1);
  t.is(stageOf(state, 7), 'started');
});

test('W5: an endpoint that is ready again is probed by one item while the others work', (t) => {
  const state = working(range(1, 2), { endpoints: ['http://one:1', 'http://two:2'] });
  const [sick] = range(1, 2).filter((index) => state.executing.get(ref(index))?.endpoint.number === 1);
  onOneEnded(state, 10, ref(sick ?? 0), failure(sick ?? 0));
  onTick(state, 10 + IDLE_MS);
  onReadiness(state, 2_020, 1, null);
  give(state, 2_030, range(3, 4));
  t.is(state.endpoints[1]?.executing, 1);
  t.is(state.endpoints[0]?.executing, 4);
});

test('W5: what was tried before goes to an endpoint that works, and probes only where none has room', (t) => {
  const state = working(range(1, 2), { endpoints: ['http://one:1', 'http://two:2'], concurrency: 2 });
  const sick = range(1, 2).find((index) => state.executing.get(ref(index))?.endpoint.number === 1) ?? 0;
  onOneEnded(state, 10, ref(sick), failure(sick));
  onTick(state, 10 + IDLE_MS);
  onReadiness(state, 2_020, 1, null);
  give(state, 2_030, [3], 2);
  t.is(state.endpoints[1]?.executing, 0);
  t.is(state.endpoints[0]?.executing, 2);
});

test('W12: a failed probe is an outcome of its own kind where the endpoint says that it is ready before and after', (t) => {
  const state = working([1]);
  onOneEnded(state, 10, ref(1), failure(1));
  onTick(state, 10 + IDLE_MS);
  onReadiness(state, 2_020, 0, null);
  give(state, 2_030, [2]);
  onOneEnded(state, 2_040, ref(2), failure(2));
  t.is(stageOf(state, 2), 'failed');
  const commands = onReadiness(state, 2_050, 0, null);
  const [store] = commands.filter((command) => command.kind === 'store');
  t.like(store?.kind === 'store' ? store.outcomes[0] : null, { index: 2, isProbe: true, isRetryable: true });
  t.true((store?.kind === 'store' ? (store.outcomes[0]?.delayMs ?? 0) : 0) >= 4_000, 'its tries span about a minute');
});

test('W12: a failed probe whose endpoint is not ready afterwards goes back', (t) => {
  const state = working([1]);
  onOneEnded(state, 10, ref(1), failure(1));
  onTick(state, 10 + IDLE_MS);
  onReadiness(state, 2_020, 0, null);
  give(state, 2_030, [2]);
  onOneEnded(state, 2_040, ref(2), failure(2));
  onReadiness(state, 2_050, 0, 'ECONNREFUSED');
  t.like(returned(state, 2), { reason: 'unavailable' });
});

test('W13: refusals before any result wait for the known-good request; refused too, all of them are told as such', (t) => {
  const state = working(range(1, 70));
  t.true(kinds(onOneEnded(state, 10, ref(1), refused(1))).includes('ask-known-good'));
  t.like(returned(state, 70), { reason: 'unavailable' }, 'what has not started goes back');
  t.false(kinds(onOneEnded(state, 20, ref(2), refused(2))).includes('ask-known-good'), 'it is asked once');
  t.is(stageOf(state, 2), 'failed');
  onKnownGood(state, 30, 0, { kind: 'refused', detail: 'so is another' });
  t.like(returned(state, 1), { reason: 'refused', detail: 'http_401; so is another' });
  t.like(returned(state, 2), { reason: 'refused' });
});

test("W13: where the known-good request is answered after them, refusals are the items' own, even if nothing else is left", (t) => {
  const state = working([1, 2]);
  onOneEnded(state, 10, ref(1), refused(1));
  onOneEnded(state, 20, ref(2), refused(2));
  const commands = onKnownGood(state, 30, 0, { kind: 'answered' });
  t.deepEqual(
    commands.flatMap((command) => (command.kind === 'store' ? command.outcomes : [])).map(({ index, isProbe }) => [index, isProbe]),
    [
      [1, false],
      [2, false],
    ],
  );
  t.true(state.endpoints.every(isClosed));
});

test('W13: an answer to the known-good request that shows nothing lets the items go back uncounted, and the endpoint is asked again', (t) => {
  const state = working([1]);
  onOneEnded(state, 10, ref(1), refused(1));
  t.true(kinds(onKnownGood(state, 30, 0, { kind: 'nothing', detail: 'ECONNREFUSED' })).includes('ask'));
  t.like(returned(state, 1), { reason: 'unavailable' });
});

test('W13: what a refusal and the known-good request say together is one line that a message takes', (t) => {
  const state = working([1]);
  onOneEnded(state, 10, ref(1), refused(1));
  onKnownGood(state, 30, 0, { kind: 'nothing', detail: 'why '.repeat(49) });
  checkState(state);
  t.regex(returned(state, 1)?.detail ?? '', /why why .*…$/);
});

test('W13: a result that comes before the answer to the known-good request decides by itself', (t) => {
  const state = working([1, 2]);
  onOneEnded(state, 10, ref(1), refused(1));
  onOneEnded(state, 20, ref(2), ended(2));
  onKnownGood(state, 30, 0, { kind: 'refused', detail: '' });
  t.is(stageOf(state, 1), 'failed');
  t.true(state.endpoints.every(isClosed));
});

test('W13: beside an endpoint that works a refusing one is only left out', (t) => {
  const state = working([1, 2], { endpoints: ['http://one:1', 'http://two:2'] });
  onOneEnded(state, 10, ref(1), refused(1));
  t.like(returned(state, 1), { reason: 'unavailable' });
  t.true(state.endpoints.some(isClosed));
});

test('W13: a refusal between results is the item’s own', (t) => {
  const state = working([1]);
  onOneEnded(state, 10, ref(1), ended(1));
  give(state, 20, [2, 3]);
  onOneEnded(state, 30, ref(2), refused(2));
  t.is(stageOf(state, 2), 'failed');
  give(state, 40, [4]);
  onOneEnded(state, 50, ref(4), ended(4));
  t.is(stageOf(state, 2), 'storing');
});

test('W13: an item that is throttled again and again while others pass fails at last', (t) => {
  const attempt = MAX_THROTTLED_ATTEMPTS + 1;
  const state = working([1]);
  onOneEnded(state, 2, ref(1), ended(1));
  give(state, 4, [5]);
  give(state, 5, [9], attempt);
  onOneEnded(state, 10, ref(9, attempt), throttled(9, 0, 0, attempt));
  t.is(stageOf(state, 9, attempt), 'failed');
  give(state, 2_000, [2]);
  onOneEnded(state, 2_010, ref(2), ended(2));
  t.is(stageOf(state, 9, attempt), 'storing');
});

test('what is let go of says nothing about its endpoint', (t) => {
  const state = working(range(1, 20));
  batches += 1;
  const revoked = range(1, 20).map((index) => ref(index));
  onReply(state, 5, { session: state.session.number, poll: state.session.polls }, ok({ batch: batches, revoked }));
  for (const index of range(1, 20)) onOneEnded(state, 10, ref(index), failure(index));
  t.true(state.endpoints.every(isClosed));
});

test('W9: what is held back goes back at once when the worker drains, and so does what fails later', (t) => {
  const state = working([1, 2, 3]);
  onOneEnded(state, 10, ref(1), failure(1));
  onDrain(state, 20);
  t.like(returned(state, 1), { reason: 'drained' });
  onOneEnded(state, 30, ref(2), failure(2));
  t.like(returned(state, 2), { reason: 'drained' });
});

test('nobody there: the item goes back, and the endpoint is asked', (t) => {
  const state = working([1, 2]);
  t.true(kinds(onOneEnded(state, 10, ref(1), unreachable(1))).includes('ask'));
  t.like(returned(state, 1), { reason: 'unavailable', detail: 'ECONNREFUSED' });
});
