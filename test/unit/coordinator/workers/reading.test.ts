import test from 'ava';
import { MAX_BATCH_BYTES } from '../../../../runtime/coordinator/workers/delivery.ts';
import { assignmentOf, heldItem, Machine, ofKind, only, RETURNED, ref, rowFor } from '../../../support/machine.ts';

const ROWS = [0, 1, 2, 3, 4];

/** Worker w1 whose five rows have lines of `bytes` each, none of them delivered. */
function undelivered(): Machine {
  return new Machine({
    cursor: 5,
    running: ROWS.map((index) => ({ index, row: rowFor('w1') })),
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
}

function answerRead(machine: Machine, commands: ReturnType<Machine['tell']>, count: number, bytes: number): ReturnType<Machine['tell']> {
  const { worker, refs } = only(commands, 'load', 'reply-poll');
  const assignments = refs.slice(0, count).map((ref) => ({ ...assignmentOf(ref), line: Buffer.alloc(bytes) }));
  return machine.tell({ kind: 'loaded', worker, assignments });
}

test('the lines of a worker are read one answer at a time, and no further than a batch ahead of what it has been sent', (t) => {
  const machine = undelivered();
  const first = machine.poll('w1', { hello: [] });
  t.deepEqual(
    only(first, 'load').refs.map(({ index }) => index),
    ROWS,
  );
  t.is(ofKind(machine.poll('w1', { isAwaiting: true }), 'load').length, 0, 'one read is under way');

  const second = answerRead(machine, first, 1, MAX_BATCH_BYTES);
  t.is(ofKind(second, 'reply-poll').length, 1, 'the first line is sent');
  t.deepEqual(
    only(second, 'load', 'reply-poll').refs.map(({ index }) => index),
    [1, 2, 3, 4],
    'and the next is read meanwhile',
  );
  const third = answerRead(machine, second, 1, MAX_BATCH_BYTES);
  t.is(ofKind(third, 'load').length, 0, 'a whole batch waits');

  const acknowledged = machine.poll('w1', { acknowledgedBatch: 1 });
  t.is(ofKind(acknowledged, 'reply-poll').length, 1);
  t.deepEqual(
    only(acknowledged, 'load', 'reply-poll').refs.map(({ index }) => index),
    [2, 3, 4],
  );
});

test('what has not been read yet counts as promised', (t) => {
  const machine = undelivered();
  machine.supply(20);
  machine.poll('w1', { hello: [], capacity: 5 });
  t.is(ofKind(machine.poll('w1', { capacity: 5 }), 'claim').length, 0);
  t.is(only(machine.poll('w1', { capacity: 7 }), 'claim', 'reply-poll').grants[0]?.picks.length, 1);
});

test('L28: a line that was read for a row that is being handed back goes nowhere', (t) => {
  const machine = undelivered();
  const first = machine.poll('w1', { hello: [] });
  machine.poll('w1', { returns: [{ index: 0, attempt: 1, claimEpoch: 3, reason: 'drained', delayMs: 0, detail: '' }] });
  const answers = ofKind(answerRead(machine, first, 5, 10), 'reply-poll').flatMap(({ reply }) =>
    reply.status === 'ok' ? reply.assignments : [],
  );
  t.deepEqual(
    answers.map(({ index }) => index),
    [1, 2, 3, 4],
  );
});

test('a hello does not have lines read twice that are on their way', (t) => {
  const machine = undelivered();
  const first = machine.poll('w1', { hello: [heldItem(0)] });
  t.is(ofKind(machine.poll('w1', { hello: [heldItem(0)] }), 'load').length, 0);
  answerRead(machine, first, 4, 10);
  t.is(machine.state.workers.get('w1')?.unread.size, 0);
});

test('L28: lines that come late, for a row that is gone, do not stand for those of the next attempt', (t) => {
  const machine = new Machine();
  machine.supply(1);
  const late = only(machine.grantAll(machine.join('w1', { capacity: 1 })), 'load');
  const hint = { node: null, worker: 'w1', severity: 'hint', untilMs: null, reason: 'spot' } as const;
  const { returns } = only(machine.tell({ kind: 'hints', hints: [hint] }), 'hand-back', 'reply-poll');
  machine.tell({ kind: 'handed-back', returns, results: [RETURNED] });
  machine.grantAll(machine.tell({ kind: 'hints', hints: [] }));
  const again = machine.load([late]);
  t.deepEqual(only(again, 'load').refs, [ref(0, 2)]);
});
