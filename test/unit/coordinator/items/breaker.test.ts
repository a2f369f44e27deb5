import test from 'ava';
import type { Command } from '../../../../runtime/coordinator/state/commands.ts';
import { addRunning, correct, dropItem, itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { newWorker, ownWorkers } from '../../../../runtime/coordinator/state/workers.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { failureOf, heldItem, Machine, ofKind, only, outcomeOf, ref, rowFor } from '../../../support/machine.ts';

const ROWS = [0, 1, 2, 3];

function fourRunning(items = 10): Machine {
  const machine = new Machine({
    cursor: 4,
    running: ROWS.map((index) => ({ index, row: rowFor('w1') })),
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(items);
  machine.poll('w1', { hello: ROWS.map((index) => heldItem(index)) });
  return machine;
}

/** The ledger has accepted what is on its way there. */
function settled(machine: Machine, commands: readonly Command[]): void {
  for (const { recordings } of ofKind(commands, 'record')) {
    machine.tell({ kind: 'recorded', recordings, verdicts: recordings.map(() => 'accepted' as const) });
  }
}

const refusedBack = (index: number) => ({
  ...ref(index),
  reason: 'refused' as const,
  delayMs: 0,
  detail: 'http://h:1: 401 Incorrect API key',
});

const refusal = (index: number, httpStatus = 400) => outcomeOf(ref(index), { kind: 'error', httpStatus, code: `http_${httpStatus}` });

test('C3: so many items refused before any result pause the run, and none of their items has failed', (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) t.is(ofKind(machine.poll('w1', { outcomes: [refusal(index)] }), 'record').length, 0);
  const commands = machine.poll('w1', { outcomes: [refusal(2, 422)] });
  t.regex(
    only(commands, 'pause', 'reply-poll', 'hand-back', 'reply-poll', 'pause').reason,
    /no item has a result yet, and 3 were refused, the last with: HTTP 422/,
  );
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason }) => [index, reason])),
    [
      [0, 'unavailable'],
      [1, 'unavailable'],
      [2, 'unavailable'],
    ],
  );
  t.is(machine.state.failed, 0);
});

test('a refusal that comes after the pause goes back as well', (t) => {
  const machine = fourRunning();
  for (const index of [0, 1, 2]) machine.poll('w1', { outcomes: [refusal(index)] });
  const commands = machine.poll('w1', { outcomes: [refusal(3)] });
  t.like(only(commands, 'hand-back', 'reply-poll', 'pause').returns[0], { index: 3, reason: 'unavailable' });
});

test("C3: a result shows that the refusals before it are the items' own, and so are those after it", (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const commands = machine.poll('w1', { outcomes: [outcomeOf(ref(2))] });
  t.deepEqual(
    ofKind(commands, 'record').flatMap(({ recordings }) => recordings.map(({ outcome }) => outcome.index)),
    [0, 1, 2],
  );
  settled(machine, commands);
  t.is(ofKind(machine.poll('w1', { outcomes: [refusal(3)] }), 'record').length, 1);
});

test('a refusal that is held is not judged twice when it is sent again', (t) => {
  const machine = fourRunning();
  for (let time = 0; time < 5; time += 1) machine.poll('w1', { outcomes: [refusal(0)] });
  t.is(machine.state.heldFailures.length, 1);
});

test('where nothing is left that could break the row, the refusals are recorded', (t) => {
  const machine = new Machine({
    cursor: 1,
    running: [{ index: 0, row: rowFor('w1') }],
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(1);
  machine.poll('w1', { hello: [heldItem(0)] });
  t.is(ofKind(machine.poll('w1', { outcomes: [refusal(0)] }), 'record').length, 1);
});

test('a quota that is used up pauses the run at once, and the item goes back', (t) => {
  const machine = fourRunning();
  const commands = machine.poll('w1', { returns: [{ ...ref(0), reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }] });
  t.regex(only(commands, 'pause', 'reply-poll', 'hand-back', 'reply-poll', 'pause').reason, /insufficient_quota/);
  t.like(only(commands, 'hand-back', 'reply-poll', 'pause').returns[0], { index: 0, reason: 'quota' });
});

test('C3: a failure in between shows nothing', (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const commands = machine.poll('w1', { outcomes: [failureOf(ref(2))] });
  t.is(ofKind(commands, 'record').length, 0);
  t.is(ofKind(machine.poll('w1', { outcomes: [refusal(3)] }), 'pause').length, 1);
});

test('C3: the endpoint refuses everybody: before any result the run pauses at once, with its words', (t) => {
  const machine = fourRunning();
  const commands = machine.poll('w1', { returns: [refusedBack(0)] });
  t.regex(
    only(commands, 'pause', 'reply-poll', 'hand-back', 'reply-poll', 'pause').reason,
    /the endpoint refuses every item: http:\/\/h:1: 401 Incorrect API key/,
  );
  t.like(only(commands, 'hand-back', 'reply-poll', 'pause').returns[0], { index: 0, reason: 'unavailable' });
});

test('C3: a worker that has something to do and is not refused keeps the run going', (t) => {
  const machine = fourRunning();
  const { state } = machine;
  ownWorkers(state).set('w2', newWorker('w2', 'b2', 1e9, 0));
  addRunning(state, { index: 4, row: rowFor('w2'), second: null, lastAttempt: 1, faults: NO_FAULTS });
  state.cursor = 5;
  t.is(ofKind(machine.poll('w1', { returns: [refusedBack(0)] }), 'pause').length, 0);
  dropItem(state, itemAt(state, 4));
  state.failed += 1;
  t.is(ofKind(machine.poll('w1', { returns: [refusedBack(1)] }), 'pause').length, 1, 'one that has nothing says nothing');
});

test('C3: of a run that has results, it takes a row of refusals, which a result interrupts', (t) => {
  const machine = fourRunning();
  settled(machine, machine.poll('w1', { outcomes: [outcomeOf(ref(0))] }));
  for (const index of [1, 2]) t.is(ofKind(machine.poll('w1', { returns: [refusedBack(index)] }), 'pause').length, 0);
  t.is(machine.state.workers.get('w1')?.refusals, 2);
  machine.poll('w1', { outcomes: [outcomeOf(ref(3))] });
  t.is(machine.state.workers.get('w1')?.refusals, 0);
});

test('C3: a failed probe counts only where few items are left, or all have failed before', (t) => {
  const probe = (index: number) => failureOf(ref(index), { isProbe: true });
  const many = fourRunning(100);
  t.like(only(many.poll('w1', { outcomes: [probe(0)] }), 'hand-back', 'reply-poll', 'pause').returns[0], {
    reason: 'unavailable',
    delayMs: 500,
  });
  const few = fourRunning(8 * 5);
  t.like(only(few.poll('w1', { outcomes: [probe(0)] }), 'hand-back', 'reply-poll', 'pause').returns[0], { reason: 'failed', delayMs: 500 });
  const known = fourRunning(100);
  known.state.cursor = 100;
  known.state.failed = 96;
  for (const item of known.state.items.all()) correct(item, { ...item, faults: { ...item.faults, failures: 1 } });
  t.like(only(known.poll('w1', { outcomes: [probe(0)] }), 'hand-back', 'reply-poll', 'pause').returns[0], { reason: 'failed' });
});

test('a pause for another reason sends back what was held, so that no worker waits for it', (t) => {
  const machine = fourRunning();
  machine.poll('w1', { outcomes: [refusal(0)] });
  const commands = machine.poll('w1', { returns: [{ ...ref(1), reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }] });
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason }) => [index, reason])),
    [
      [0, 'unavailable'],
      [1, 'quota'],
    ],
  );
  t.deepEqual(machine.state.heldFailures, []);
});

test('the reason of a pause says what the server said, up to a bound', (t) => {
  const machine = fourRunning();
  const line = (message: string) =>
    Buffer.from(JSON.stringify({ id: 'batch_req_x', custom_id: 'a', response: null, error: { code: 'http_401', message, line: 1 } }));
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const last = { ...refusal(2), line: line(`Incorrect API key provided ${'x'.repeat(1_000)}`) };
  const { reason } = only(machine.poll('w1', { outcomes: [last] }), 'pause', 'reply-poll', 'hand-back', 'reply-poll', 'pause');
  t.regex(reason, /the last with: Incorrect API key provided x/);
  t.true(reason.length < 450, `${reason.length} characters`);
});
