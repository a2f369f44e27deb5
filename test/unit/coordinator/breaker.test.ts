import test from 'ava';
import { failureOf, heldItem, Machine, ofKind, only, outcomeOf, ref, rowFor } from '../../support/machine.ts';

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

const refusal = (index: number, httpStatus = 401) => outcomeOf(ref(index), { kind: 'error', httpStatus, code: `http_${httpStatus}` });

test('so many refusals in a row pause the run, and none of their items has failed', (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) t.is(ofKind(machine.poll('w1', { outcomes: [refusal(index)] }), 'record').length, 0);
  const commands = machine.poll('w1', { outcomes: [refusal(2, 404)] });
  t.regex(only(commands, 'pause', 'reply-poll', 'hand-back').reason, /3 answers in a row .* HTTP 404/);
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
  t.like(only(commands, 'hand-back').returns[0], { index: 3, reason: 'unavailable' });
});

test("any other answer breaks the row: the refusals before it are the items' own", (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const commands = machine.poll('w1', { outcomes: [outcomeOf(ref(2))] });
  t.deepEqual(
    ofKind(commands, 'record').flatMap(({ recordings }) => recordings.map(({ outcome }) => outcome.index)),
    [0, 1, 2],
  );
  const next = machine.poll('w1', { outcomes: [refusal(3)] });
  t.is(ofKind(next, 'pause').length, 0, 'counting starts anew');
});

test('a refusal that is held is not judged twice when it is sent again', (t) => {
  const machine = fourRunning();
  for (let time = 0; time < 5; time += 1) machine.poll('w1', { outcomes: [refusal(0)] });
  t.is(machine.state.suspects.length, 1);
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
  const commands = machine.poll('w1', { returns: [{ ...ref(0), reason: 'quota', delayMs: 0 }] });
  t.regex(only(commands, 'pause', 'reply-poll', 'hand-back').reason, /insufficient_quota/);
  t.like(only(commands, 'hand-back', 'reply-poll', 'pause').returns[0], { index: 0, reason: 'quota' });
});

test('C3: a failure that counts breaks the row as well', (t) => {
  const machine = fourRunning();
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const commands = machine.poll('w1', { outcomes: [failureOf(ref(2))] });
  t.deepEqual(
    ofKind(commands, 'record').flatMap(({ recordings }) => recordings.map(({ outcome }) => outcome.index)),
    [0, 1],
  );
  t.is(ofKind(machine.poll('w1', { outcomes: [refusal(3)] }), 'pause').length, 0, 'counting starts anew');
});

test('a pause for another reason sends back what was held, so that no worker waits for it', (t) => {
  const machine = fourRunning();
  machine.poll('w1', { outcomes: [refusal(0)] });
  const commands = machine.poll('w1', { returns: [{ ...ref(1), reason: 'quota', delayMs: 0 }] });
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason }) => [index, reason])),
    [
      [0, 'unavailable'],
      [1, 'quota'],
    ],
  );
  t.deepEqual(machine.state.suspects, []);
});

test('the reason of a pause says what the server said, up to a bound', (t) => {
  const machine = fourRunning();
  const line = (message: string) =>
    Buffer.from(JSON.stringify({ id: 'batch_req_x', custom_id: 'a', response: null, error: { code: 'http_401', message, line: 1 } }));
  for (const index of [0, 1]) machine.poll('w1', { outcomes: [refusal(index)] });
  const last = { ...refusal(2), line: line(`Incorrect API key provided ${'x'.repeat(1_000)}`) };
  const { reason } = only(machine.poll('w1', { outcomes: [last] }), 'pause', 'reply-poll', 'hand-back');
  t.regex(reason, /the last HTTP 401: Incorrect API key provided x/);
  t.true(reason.length < 450, `${reason.length} characters`);
});
