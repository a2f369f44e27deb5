import test from 'ava';
import { itemAt, lockItem, unlock } from '../../../../runtime/coordinator/state/items.ts';
import { isGoing } from '../../../../runtime/coordinator/state/worker.ts';
import { isLeaving } from '../../../../runtime/coordinator/workers/drain.ts';
import { drainReply } from '../../../../runtime/coordinator/workers/hints.ts';
import type { ComputeHint } from '../../../../runtime/model/hint.ts';
import type { DrainStep } from '../../../../runtime/model/session.ts';
import { heldItem, Machine, ofKind, okReply, only, twoRunning } from '../../../support/machine.ts';

const GOODBYE = { kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token: 99 } as const;

function hint(more: Partial<ComputeHint> = {}): ComputeHint {
  return { node: null, worker: 'w1', severity: 'drain', untilMs: null, reason: 'spot', ...more };
}

function step(name: DrainStep['step'], more: Partial<DrainStep> = {}): DrainStep {
  return { step: name, items: 0, remainingMs: 9_000, reason: 'spot', ...more };
}

function eventsIn(commands: Parameters<typeof ofKind>[0]): readonly unknown[] {
  return ofKind(commands, 'emit')
    .map((one) => one.event)
    .filter((event) => /^drain|^worker_(?:failed|dereg)/.test(event.kind));
}

test('a worker that is to leave is told at once, with what is left of the time and why; each word once', (t) => {
  const machine = new Machine();
  machine.join('w1');
  const commands = machine.tell({ kind: 'hints', hints: [hint({ untilMs: machine.nowMs + 15_000 })] });
  t.like(okReply(commands), { order: 'drain', drainMs: 15_000, reason: 'spot' });
  machine.nowMs += 1_000;
  t.deepEqual(ofKind(machine.poll('w1'), 'reply-poll'), [], 'it knows');
  const tightened = machine.tell({ kind: 'hints', hints: [hint({ untilMs: machine.nowMs + 5_000 })] });
  t.like(okReply(tightened), { order: 'drain', drainMs: 5_000 });
  machine.poll('w1');
  t.like(okReply(machine.tell({ kind: 'hints', hints: [] })), { order: 'work', drainMs: 0, reason: '' });
});

test('a hint holds, a time that is over is the shortest, none is the worker its own', (t) => {
  const machine = new Machine();
  machine.join('w1');
  t.like(okReply(machine.tell({ kind: 'hints', hints: [hint({ severity: 'hint' })] })), { order: 'hold', drainMs: 0, reason: 'spot' });
  machine.poll('w1');
  t.like(okReply(machine.tell({ kind: 'hints', hints: [hint()] })), { order: 'drain', drainMs: 0 });
  machine.poll('w1');
  t.like(okReply(machine.tell({ kind: 'hints', hints: [hint({ untilMs: 1 })] })), { order: 'drain', drainMs: 1 });
});

test('a run that is being paused drains its workers within its own time, and says why in one line', (t) => {
  const machine = new Machine();
  machine.supply(2);
  const { refs } = only(machine.grantAll(machine.join('w1')), 'load');
  machine.tell({ kind: 'loaded', worker: 'w1', assignments: [] });
  const [ref] = refs;
  if (ref === undefined) return t.fail('nothing was claimed');
  const commands = machine.poll('w1', { returns: [{ ...ref, reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }] });
  const reply = ofKind(commands, 'reply-poll').at(-1)?.reply;
  t.like(reply, { order: 'drain', drainMs: 20_000 });
  t.regex(reply?.status === 'ok' ? reply.reason : '', /no quota left/);
});

test('one that is to go is given nothing, whatever room it says it has, and what was not yet sent goes to others', (t) => {
  const machine = new Machine();
  machine.supply(8);
  const load = only(machine.grantAll(machine.join('w1', { capacity: 4 })), 'load');
  const commands = machine.tell({ kind: 'hints', hints: [hint()] });
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap((one) => one.returns.map(({ index, reason }) => [index, reason])),
    load.refs.map((ref) => [ref.index, 'lost']),
  );
  t.deepEqual(ofKind(machine.poll('w1', { capacity: 4 }), 'claim'), []);
  t.deepEqual(ofKind(machine.tell({ kind: 'loaded', worker: 'w1', assignments: [] }), 'claim'), []);
});

test('L31: a claim that comes back for one that is to go is handed back at once', (t) => {
  const machine = new Machine();
  machine.supply(2);
  const claim = machine.join('w1', { capacity: 2 });
  machine.tell({ kind: 'hints', hints: [hint()] });
  const commands = machine.grantAll(claim);
  t.is(ofKind(commands, 'hand-back').flatMap((one) => one.returns).length, 2);
  t.deepEqual(ofKind(commands, 'load'), []);
});

test('the steps of a drain become events, framed by its begin and its end', (t) => {
  const machine = new Machine();
  machine.join('w1');
  const begun = machine.poll('w1', { drainSteps: [step('stopped-pulling'), step('returned-unstarted', { items: 2 })] });
  t.deepEqual(eventsIn(begun), [
    { kind: 'drain_started', workerId: 'w1', reason: 'spot', remainingMs: 9_000 },
    { kind: 'drain_step', workerId: 'w1', step: 'stopped-pulling', items: 0, remainingMs: 9_000 },
    { kind: 'drain_step', workerId: 'w1', step: 'returned-unstarted', items: 2, remainingMs: 9_000 },
  ]);
  machine.poll('w1', { drainSteps: [step('leaving')] });
  t.deepEqual(eventsIn(machine.tell(GOODBYE)), [
    { kind: 'worker_deregistered', workerId: 'w1', handedBack: 0 },
    { kind: 'drain_finished', workerId: 'w1', end: 'left' },
  ]);
});

test('a goodbye that overtakes the message with the last step tells it', (t) => {
  const machine = new Machine();
  machine.join('w1');
  machine.poll('w1', { drainSteps: [step('stopped-pulling')] });
  t.deepEqual(eventsIn(machine.tell(GOODBYE)), [
    { kind: 'drain_step', workerId: 'w1', step: 'leaving', items: 0, remainingMs: 0 },
    { kind: 'worker_deregistered', workerId: 'w1', handedBack: 0 },
    { kind: 'drain_finished', workerId: 'w1', end: 'left' },
  ]);
});

test('a drain ends with the loss of its worker, and with its withdrawal', (t) => {
  const lost = twoRunning();
  lost.join('w1', { held: [heldItem(0), heldItem(1)] });
  lost.poll('w1', { drainSteps: [step('stopped-pulling')] });
  const failed = lost.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  t.like(eventsIn(failed).at(-1), { kind: 'drain_finished', end: 'lost' });
  t.deepEqual(
    ofKind(failed, 'hand-back').flatMap((one) => one.returns.map(({ reason }) => reason)),
    ['lost', 'lost'],
    'nothing is suspected of a worker that was about to go',
  );
  const back = new Machine();
  back.join('w1');
  back.poll('w1', { drainSteps: [step('stopped-pulling')] });
  t.deepEqual(eventsIn(back.poll('w1', { drainSteps: [step('withdrawn', { remainingMs: 0 })] })), [
    { kind: 'drain_step', workerId: 'w1', step: 'withdrawn', items: 0, remainingMs: 0 },
    { kind: 'drain_finished', workerId: 'w1', end: 'withdrawn' },
  ]);
  t.deepEqual(eventsIn(back.poll('w1', { drainSteps: [step('withdrawn')] })), [], 'there is nothing to withdraw any more');
});

test('who leaves: by a hint, by its own word, by its steps; nobody else', (t) => {
  const machine = new Machine();
  for (const worker of ['w1', 'w2', 'w3', 'w4']) machine.join(worker);
  machine.tell({ kind: 'hints', hints: [hint({ severity: 'hint' })] });
  machine.poll('w2', { drainSteps: [step('stopped-pulling')] });
  machine.beat('w3', { says: 'draining' });
  t.deepEqual(
    ['w1', 'w2', 'w3', 'w4', 'w5'].map((id) => isLeaving(machine.state, id)),
    [true, true, true, false, false],
  );
  t.deepEqual([...machine.state.workers.values()].map(isGoing), [true, false, true, false]);
});

test('of a worker gone wrong a bounded number of steps is told', (t) => {
  const machine = new Machine();
  machine.join('w1');
  const many = Array.from({ length: 1_000 }, () => step('finishing'));
  t.is(eventsIn(machine.poll('w1', { drainSteps: many })).length, 1 + 64);
});

test('C8: a row that was not sent and was busy when its worker was told to go goes to others once it is free', (t) => {
  const machine = new Machine({ settings: { stragglers: true } });
  machine.supply(1);
  const load = only(machine.grantAll(machine.join('w1', { capacity: 1 })), 'load');
  const item = itemAt(machine.state, load.refs[0]?.index ?? -1);
  lockItem(item, 'moving');
  t.is(ofKind(machine.tell({ kind: 'hints', hints: [hint()] }), 'hand-back').length, 0);
  unlock(machine.state, item);
  t.like(only(machine.tell({ kind: 'loaded', worker: 'w1', assignments: [] }), 'hand-back').returns, [{ index: 0, reason: 'lost' }]);
});

test('C8: what a worker that is to go does not hold is not sent to it again', (t) => {
  const machine = twoRunning();
  machine.beat('w1');
  machine.tell({ kind: 'hints', hints: [hint()] });
  const commands = machine.poll('w1', { hello: [heldItem(0)] });
  t.like(only(commands, 'hand-back', 'reply-poll').returns, [{ index: 1, reason: 'lost' }]);
  t.is(ofKind(commands, 'load').length, 0);
});

test('C7: what crashed with a machine that was about to go is suspected of nothing, also where the next boot tells of it', (t) => {
  const machine = new Machine();
  machine.supply(2);
  machine.load(machine.grantAll(machine.join('w1', { capacity: 2 })));
  machine.tell({ kind: 'hints', hints: [hint()] });
  const commands = machine.join('w1', { boot: 'b2' });
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap((one) => one.returns.map(({ reason }) => reason)),
    ['lost', 'lost'],
  );
});

test('the drain of a boot that another one replaces has ended: whoever waits for it hears so', (t) => {
  const machine = new Machine();
  machine.join('w1');
  const order = { workerId: 'w1', bootNonce: 'b1', deadlineMs: null, reason: '' };
  machine.tell({ kind: 'drain', order });
  machine.poll('w1', { drainSteps: [step('stopped-pulling')] });
  t.deepEqual(eventsIn(machine.beat('w1', { boot: 'b2' })), [{ kind: 'drain_finished', workerId: 'w1', end: 'lost' }]);
  t.is(drainReply(machine.state, order).state, 'lost');
});
