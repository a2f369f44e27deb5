import test from 'ava';
import { correct, itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { heldItem, type Machine, ofKind, okReply, only, outcomeOf, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';

const W1 = { worker: 'w1', outcome: outcomeOf(ref(1)) };

/** At the end of the list w1 runs item 0; item 1 has just been recorded, after 100 ms; w2 is idle. */
function tail(stragglers = true, maxAttempts = 5): Machine {
  const machine = twoRunning({
    settings: { stragglers, maxAttempts },
    workers: ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 })),
  });
  machine.supply(2);
  machine.join('w1', { capacity: 0, held: [heldItem(0), heldItem(1)] });
  machine.join('w2', { capacity: 4 });
  machine.nowMs += 100;
  machine.poll('w1', { outcomes: [W1.outcome] });
  machine.tell({ kind: 'recorded', recordings: [W1], verdicts: ['accepted'] });
  return machine;
}

function withSecondAttempt(machine: Machine): Machine {
  const { worker, rows } = only(machine.tick(machine.nowMs + 1_000), 'second', 'check-lease');
  machine.tell({ kind: 'second-attempts', worker, rows, verdicts: [{ kind: 'granted', attempt: 2 }] });
  return machine;
}

test('L13: an idle worker gets a second attempt of what has run longer than 1.5 times the median, and not before', (t) => {
  const machine = tail();
  t.is(ofKind(machine.tick(machine.nowMs + 300), 'second').length, 0, 'short items are not worth it');
  const { worker, rows } = only(machine.tick(machine.nowMs + 200), 'second');
  t.deepEqual([worker, rows], ['w2', [{ index: 0, row: rowFor('w1'), lastAttempt: 1 }]]);
  t.is(ofKind(machine.tick(machine.nowMs + 200), 'second').length, 0, 'it is asked for once');
});

test('without the option nothing is executed twice', (t) => {
  const machine = tail(false);
  t.is(ofKind(machine.tick(machine.nowMs + 60_000), 'second').length, 0);
});

test('L13: the first outcome is the record, whichever attempt it is of, and the other is told to stop', (t) => {
  for (const [winner, attempt, loser] of [
    ['w1', 1, ref(0, 2)],
    ['w2', 2, ref(0, 1)],
  ] as const) {
    const machine = withSecondAttempt(tail());
    const [other] = ['w1', 'w2'].filter((worker) => worker !== winner);
    const outcome = outcomeOf(ref(0, attempt));
    machine.poll(winner, { outcomes: [outcome] });
    machine.poll(other ?? '', { capacity: 0 });
    const commands = machine.tell({ kind: 'recorded', recordings: [{ worker: winner, outcome }], verdicts: ['accepted'] });
    const revoked = ofKind(commands, 'reply-poll').flatMap(({ reply }) => (reply.status === 'ok' ? reply.revoked : []));
    t.deepEqual(revoked, [loser]);
    t.false(machine.state.items.has(0));
  }
});

test('L19: the second outcome waits while the first is being recorded, and is then known to be recorded', (t) => {
  const machine = withSecondAttempt(tail());
  t.is(ofKind(machine.poll('w1', { outcomes: [outcomeOf(ref(0))] }), 'record').length, 1);
  t.is(ofKind(machine.poll('w2', { outcomes: [outcomeOf(ref(0, 2))] }), 'record').length, 0);
  const first = { worker: 'w1', outcome: outcomeOf(ref(0)) };
  const commands = machine.tell({ kind: 'recorded', recordings: [first], verdicts: ['accepted'] });
  t.like(only(commands, 'look', 'finish', 'reply-poll'), { worker: 'w2', outcomes: [{ index: 0, attempt: 2 }] });
});

test('L13: handing back one attempt leaves the other; only without any is the item pending', (t) => {
  const machine = withSecondAttempt(tail());
  const commands = machine.poll('w2', { returns: [{ ...ref(0, 2), reason: 'drained', delayMs: 0, detail: '' }] });
  const { returns } = only(commands, 'hand-back', 'reply-poll');
  t.deepEqual(returns, [{ index: 0, row: rowFor('w2', 2), restores: 0, reason: 'drained', delayMs: 0 }]);
  machine.tell({ kind: 'handed-back', returns, results: [{ ...RETURNED, lastAttempt: 2, other: rowFor('w1') }] });
  t.deepEqual(
    itemAt(machine.state, 0).rows.map(({ row }) => row),
    [rowFor('w1')],
  );
  t.deepEqual(machine.state.ready, []);
});

test('a failure of one attempt is counted and never recorded while the other runs', (t) => {
  const machine = withSecondAttempt(tail());
  correct(itemAt(machine.state, 0), { lastAttempt: 2, faults: { ...RETURNED.faults, failures: 4 } });
  const failure = outcomeOf(ref(0), { kind: 'error', httpStatus: 500, code: 'http_500', isRetryable: true });
  const commands = machine.poll('w1', { outcomes: [failure] });
  t.like(only(commands, 'hand-back', 'reply-poll').returns, [{ index: 0, row: rowFor('w1'), reason: 'failed' }]);
});

test('an item that has one try left is given no second attempt: its failure could never be recorded beside a running one', (t) => {
  for (const { failures, maxAttempts, isGiven } of [
    { failures: 0, maxAttempts: 1, isGiven: true },
    { failures: 1, maxAttempts: 1, isGiven: false },
    { failures: 3, maxAttempts: 5, isGiven: true },
    { failures: 4, maxAttempts: 5, isGiven: false },
    { failures: 9, maxAttempts: 5, isGiven: false },
  ]) {
    const machine = tail(true, maxAttempts);
    correct(itemAt(machine.state, 0), { lastAttempt: 1, faults: { ...RETURNED.faults, failures } });
    const given = ofKind(machine.tick(machine.nowMs + 1_000), 'second').length;
    t.is(given, isGiven ? 1 : 0, `${failures} failures of ${maxAttempts}`);
  }
});

test('L31: both workers of an item may be lost at once: both rows go back, one after the other', (t) => {
  const machine = withSecondAttempt(tail());
  const first = only(machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 }), 'hand-back', 'emit', 'forget');
  t.is(ofKind(machine.tell({ kind: 'worker-exited', worker: 'w2', pid: 7 }), 'hand-back').length, 0, 'one at a time (L19)');
  const results = [{ ...RETURNED, lastAttempt: 2, other: rowFor('w2', 2) }];
  const next = machine.tell({ kind: 'handed-back', returns: first.returns, results });
  t.like(only(next, 'hand-back').returns, [{ index: 0, row: rowFor('w2', 2), reason: 'lost' }]);
});

test('L27: a row that a hello missed while its item was busy is sent again as soon as it is not', (t) => {
  const machine = withSecondAttempt(tail());
  const { returns } = only(
    machine.poll('w2', { returns: [{ ...ref(0, 2), reason: 'drained', delayMs: 0, detail: '' }] }),
    'hand-back',
    'reply-poll',
  );
  machine.poll('w1', { hello: [] });
  const commands = machine.tell({ kind: 'handed-back', returns, results: [{ ...RETURNED, lastAttempt: 2, other: rowFor('w1') }] });
  t.deepEqual(only(commands, 'load', 'reply-poll').refs, [ref(0)]);
});

test('L7: a second attempt that is refused leaves what the ledger says', (t) => {
  const machine = tail();
  const { worker, rows } = only(machine.tick(machine.nowMs + 1_000), 'second', 'check-lease');
  machine.tell({ kind: 'second-attempts', worker, rows, verdicts: [{ kind: 'refused', found: { index: 0, state: 'done' } }] });
  t.false(machine.state.items.has(0));
});

test('a second attempt is delivered like a claim', (t) => {
  const machine = tail();
  const { worker, rows } = only(machine.tick(machine.nowMs + 1_000), 'second', 'check-lease');
  const load = machine.tell({ kind: 'second-attempts', worker, rows, verdicts: [{ kind: 'granted', attempt: 2 }] });
  machine.load(load);
  t.deepEqual(
    okReply(machine.poll('w2', { capacity: 4 })).assignments.map(({ index, attempt }) => [index, attempt]),
    [[0, 2]],
  );
});
