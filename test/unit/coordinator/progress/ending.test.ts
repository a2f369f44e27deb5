import test from 'ava';
import { answerFinished, FINISHED_STAY_MS } from '../../../../runtime/coordinator/progress/ending.ts';
import { statusOf } from '../../../../runtime/coordinator/progress/status.ts';
import type { FailureLimit } from '../../../../runtime/model/failure-limit.ts';
import { heldItem, kinds, Machine, ofKind, okReply, only, outcomeOf, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';

function lastOne(): Machine {
  const machine = new Machine({
    cursor: 1,
    running: [{ index: 0, row: rowFor('w1') }],
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(1);
  machine.poll('w1', { hello: [heldItem(0)] });
  return machine;
}

function recordLast(machine: Machine): ReturnType<Machine['tell']> {
  const outcome = outcomeOf(ref(0));
  machine.poll('w1', { outcomes: [outcome] });
  return machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
}

test('the run ends in order: the ledger is closed, the files are written, the workers hear it, the process ends', (t) => {
  const machine = lastOne();
  const recorded = recordLast(machine);
  t.deepEqual(only(recorded, 'finish', 'reply-poll'), { kind: 'finish', items: 1 });
  t.is(okReply(recorded, 'finish').order, 'work', 'nobody hears of an end that is not durable');
  machine.poll('w1');
  t.deepEqual(kinds(machine.tell({ kind: 'finished' })), ['export']);
  t.is(okReply(machine.tell({ kind: 'exported' })).order, 'finished');
  const goodbye = machine.tell({ kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token: 99 });
  t.is(ofKind(goodbye, 'stop').length, 0, 'its goodbye is answered first');
  const commands = machine.tell({ kind: 'forgotten', token: 99 });
  t.is(commands[0]?.kind, 'reply-deregister');
  t.like(ofKind(commands, 'emit').at(-1), { event: { kind: 'run_finished', state: 'completed', done: 1, failed: 0 } });
  t.deepEqual(only(commands, 'stop', 'reply-deregister', 'emit'), { kind: 'stop', outcome: 'completed', reason: '' });
});

test('a worker that never says goodbye holds a finished run up for a bounded time', (t) => {
  const machine = lastOne();
  recordLast(machine);
  machine.tell({ kind: 'finished' });
  machine.tell({ kind: 'exported' });
  machine.beat('w1');
  t.is(ofKind(machine.tick(machine.nowMs + 1_000), 'stop').length, 0);
  t.is(ofKind(machine.tick(machine.nowMs + 5_000), 'stop').length, 1);
});

test('a run without items is over as soon as that is known', (t) => {
  const machine = new Machine();
  t.deepEqual(only(machine.tell({ kind: 'indexed', count: 0, items: 0 }), 'finish'), { kind: 'finish', items: 0 });
});

test('a run is not over while the input is still being indexed', (t) => {
  const machine = new Machine({ cursor: 0 });
  t.is(ofKind(machine.tell({ kind: 'indexed', count: 0, items: null }), 'finish').length, 0);
});

test('a pause stops claims at once, drains the workers, and ends when they are gone', (t) => {
  const machine = twoRunning();
  machine.supply(10);
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  const commands = machine.poll('w1', {
    capacity: 4,
    returns: [{ ...ref(0), reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }],
  });
  t.is(ofKind(commands, 'claim').length, 0);
  t.is(ofKind(commands, 'reply-poll').at(-1)?.reply.status === 'ok', true);
  t.deepEqual(
    ofKind(commands, 'reply-poll')
      .map(({ reply }) => (reply.status === 'ok' ? reply.order : ''))
      .at(-1),
    'drain',
  );
  machine.tell({ kind: 'paused' });
  const { returns } = { returns: [{ index: 0, row: rowFor('w1'), restores: 0, reason: 'quota' as const, delayMs: 0 }] };
  machine.tell({ kind: 'handed-back', returns, results: [RETURNED] });
  const left = machine.tell({ kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token: 99 });
  machine.tell({ kind: 'forgotten', token: 99 });
  t.is(ofKind(left, 'stop').length, 0, 'its other row is still being handed back');
  const rest = [{ index: 1, row: rowFor('w1'), restores: 0, reason: 'lost' as const, delayMs: 0 }];
  const ended = machine.tell({ kind: 'handed-back', returns: rest, results: [RETURNED] });
  t.like(only(ended, 'stop', 'emit'), { kind: 'stop', outcome: 'paused' });
});

test('a pause ends after the time of a drain, whoever has not gone', (t) => {
  const machine = twoRunning({ nowMs: 0 });
  machine.poll('w1', {
    hello: [heldItem(0), heldItem(1)],
    returns: [{ ...ref(0), reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }],
  });
  machine.tell({ kind: 'paused' });
  let stopped = 0;
  for (let at = 250; at <= 20_000 && stopped === 0; at += 250) {
    machine.beat('w1');
    if (ofKind(machine.tick(at), 'stop').length > 0) stopped = at;
  }
  t.is(stopped, 20_000);
});

test('after the end the machine says nothing more', (t) => {
  const machine = new Machine();
  machine.tell({ kind: 'indexed', count: 0, items: 0 });
  machine.tell({ kind: 'finished' });
  machine.tell({ kind: 'exported' });
  t.deepEqual(machine.beat('w1'), []);
});

test('with serveAfterEnd a finished run says so once, and answers workers until the process is told to end', (t) => {
  const machine = new Machine({ settings: { serveAfterEnd: true } });
  machine.tell({ kind: 'indexed', count: 0, items: 0 });
  machine.tell({ kind: 'finished' });
  const told = ofKind(machine.tell({ kind: 'exported' }), 'emit');
  t.like(told.at(-1), { event: { kind: 'run_finished', state: 'completed' } });
  t.deepEqual(kinds(machine.tick(machine.nowMs + 3_600_000)), ['check-lease'], 'nothing more is said');
  t.is(okReply(machine.join('w1')).order, 'finished');
  t.deepEqual(statusOf('run', machine.state, machine.nowMs).state, { kind: 'completed' });
});

test('C4: started again on a finished run, it answers workers that come within its stay, and ends when they have left', (t) => {
  const machine = new Machine();
  answerFinished(machine.state, machine.nowMs);
  t.deepEqual(ofKind(machine.tick(machine.nowMs + FINISHED_STAY_MS - 250), 'stop'), []);
  const joined = machine.join('w1', { held: [heldItem(0, 'finished')] });
  t.is(okReply(joined).order, 'finished');
  const outcome = outcomeOf(ref(0));
  const asked = machine.poll('w1', { outcomes: [outcome] });
  t.like(only(asked, 'look'), { worker: 'w1', outcomes: [outcome] });
  const told = machine.tell({ kind: 'looked', worker: 'w1', outcomes: [outcome], verdicts: ['recorded'] });
  t.deepEqual(okReply(told).acknowledged, [ref(0)]);
  t.deepEqual(ofKind(machine.tick(machine.nowMs + 250), 'stop'), [], 'the worker is still there');
  machine.tell({ kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token: 99 });
  const ended = machine.tell({ kind: 'forgotten', token: 99 });
  t.like(only(ended, 'stop', 'reply-deregister', 'emit'), { outcome: 'completed' });
});

test('with more failed items than the run may have it pauses, says why, and what is recorded stays', (t) => {
  const failing = (maxFailedItems: FailureLimit): ReturnType<Machine['tell']> => {
    const machine = new Machine({
      settings: { maxFailedItems },
      cursor: 1,
      running: [{ index: 0, row: rowFor('w1') }],
      workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
    });
    machine.supply(10);
    machine.poll('w1', { hello: [heldItem(0)] });
    const outcome = outcomeOf(ref(0), { kind: 'error', httpStatus: 200, code: 'invalid_answer' });
    machine.poll('w1', { outcomes: [outcome] });
    const commands = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
    t.is(machine.state.failed, 1);
    return commands;
  };
  t.regex(only(failing({ kind: 'items', items: 0 }), 'pause', 'emit', 'reply-poll').reason, /1 items have failed, and 0 may/);
  t.regex(only(failing({ kind: 'share', percent: 5 }), 'pause', 'emit', 'reply-poll').reason, /5% of 10/);
  t.is(ofKind(failing({ kind: 'items', items: 1 }), 'pause').length, 0);
  t.is(ofKind(failing({ kind: 'share', percent: 10 }), 'pause').length, 0);
});

/** Two items, one of them failed before, with a limit that one failed item exceeds. */
function overLimitBefore(done: number): Machine {
  return new Machine({ settings: { maxFailedItems: { kind: 'items', items: 0 } }, cursor: done + 1, settled: { done, failed: 1 } });
}

test('with more failed items than the run may have, one in which no item is open is finished, and one with open items pauses', (t) => {
  const settled = overLimitBefore(1);
  t.deepEqual(kinds(settled.tell({ kind: 'indexed', count: 2, items: null })), [], 'more lines may come');
  t.deepEqual(only(settled.tell({ kind: 'indexed', count: 2, items: 2 }), 'finish'), { kind: 'finish', items: 2 });
  const open = overLimitBefore(1);
  t.is(ofKind(open.tell({ kind: 'indexed', count: 3, items: null }), 'pause').length, 1);
});

test('a pause in which the last open items are settled ends as a finished run', (t) => {
  const machine = twoRunning({ settings: { maxFailedItems: { kind: 'items', items: 0 } } });
  machine.supply(2);
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  const failed = outcomeOf(ref(0), { kind: 'error', httpStatus: 200, code: 'invalid_answer' });
  machine.poll('w1', { outcomes: [failed] });
  const paused = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: failed }], verdicts: ['accepted'] });
  t.is(ofKind(paused, 'pause').length, 1);
  const last = outcomeOf(ref(1));
  machine.poll('w1', { outcomes: [last] });
  const settled = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: last }], verdicts: ['accepted'] });
  t.is(ofKind(settled, 'finish').length, 0, 'the pause is not recorded yet, and must not come after the end');
  t.deepEqual(ofKind(machine.tell({ kind: 'paused' }), 'finish'), [{ kind: 'finish', items: 2 }]);
});
