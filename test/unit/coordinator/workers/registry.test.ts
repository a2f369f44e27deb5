import test from 'ava';
import { MAX_BOOTS } from '../../../../runtime/coordinator/workers/registry.ts';
import type { Beat } from '../../../../runtime/model/session.ts';
import { kinds, Machine, ofKind, only, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH } from '../../../support/machine-start.ts';

const BEAT: Beat = {
  ...{ workerId: 'w1', bootNonce: 'b1', state: 'ready', concurrency: 4, pid: 7 },
  ...{ loopLagMs: 0, highestEpoch: 3, detail: '', node: '', isAsking: true },
};

test('the first beat of an unknown worker registers it, and is answered only when that is durable', (t) => {
  const machine = new Machine();
  const commands = machine.beat('w1');
  t.deepEqual(kinds(commands), ['register', 'emit', 'emit']);
  t.like(only(commands, 'register', 'emit'), { worker: 'w1', info: { bootNonce: 'b1', pid: 7, concurrency: 4 } });
  t.like(ofKind(commands, 'emit')[0], { event: { kind: 'worker_registered', workerId: 'w1', isRestart: false } });
  const answered = machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' });
  const timing = { heartbeatIntervalMs: 500, workerSelfFenceTimeoutMs: 4_000, pollWaitMs: 20_000 };
  t.deepEqual(only(answered, 'reply-beat').reply, { epoch: 3, isSuperseded: false, timing }, 'timing is the coordinator’s (C12)');
  t.deepEqual(kinds(machine.beat('w1')), ['emit', 'reply-beat'], 'a second beat registers nothing');
});

test('C1, C12: more than 500 workers are told to beat once a second, suspected by that, and failed no later', (t) => {
  const machine = new Machine();
  for (let nth = 1; nth <= 501; nth += 1) {
    machine.beat(`w${nth}`);
    machine.tell({ kind: 'registered', worker: `w${nth}`, bootNonce: 'b1' });
  }
  t.like(only(machine.beat('w1'), 'reply-beat', 'emit').reply, { timing: { heartbeatIntervalMs: 1_000, workerSelfFenceTimeoutMs: 4_000 } });
  const beatMs = machine.nowMs;
  const told: unknown[] = [];
  for (let afterMs = 250; afterMs <= 5_750; afterMs += 250) {
    for (const { event } of ofKind(machine.tick(beatMs + afterMs), 'emit')) {
      if ('workerId' in event && event.workerId === 'w1') told.push([event.kind, afterMs]);
    }
  }
  t.deepEqual(told, [
    ['worker_suspected', 1_500],
    ['worker_failed', 5_750],
  ]);
});

test('L26: another boot of the same worker replaces the first, which is told so', (t) => {
  const machine = new Machine();
  machine.join('w1', { boot: 'b1' });
  const commands = machine.beat('w1', { boot: 'b2', pid: 8 });
  t.like(only(commands, 'reply-poll', 'register', 'emit'), { reply: { status: 'superseded' } }, 'the old boot waited in a poll');
  t.like(ofKind(commands, 'emit')[0], { event: { kind: 'worker_registered', bootNonce: 'b2', isRestart: true } });
  t.deepEqual(only(machine.beat('w1', { boot: 'b1' }), 'reply-beat').reply, { epoch: 3, isSuperseded: true });
  t.is(machine.state.workers.get('w1')?.bootNonce, 'b2', 'a late beat of the old boot changes nothing');
});

test('failure rule: suspected, then failed once, and every row of it is handed back', (t) => {
  const machine = twoRunning({ nowMs: 0 });
  for (let at = 250; at <= 500; at += 250) t.deepEqual(kinds(machine.tick(at)), []);
  t.like(only(machine.tick(750), 'emit'), { event: { kind: 'worker_suspected', workerId: 'w1', dueAtMs: 500 } });
  const seen: string[] = [];
  for (let at = 1_000; at <= 20_000; at += 250) {
    for (const command of machine.tick(at)) {
      seen.push(command.kind === 'emit' ? `${command.event.kind} at ${at}` : command.kind);
      if (command.kind === 'hand-back')
        t.deepEqual(
          command.returns.map(({ index, reason }) => [index, reason]),
          [
            [0, 'lost'],
            [1, 'lost'],
          ],
        );
    }
  }
  t.deepEqual(seen, ['hand-back', 'worker_failed at 5750', 'forget'], 'one failure for one registration');
});

test('L25: after a boot every stored worker and every owner of a row has one interval from this boot', (t) => {
  const machine = new Machine({
    nowMs: 100_000,
    cursor: 1,
    running: [{ index: 0, row: rowFor('nobody') }],
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  for (const id of ['w1', 'nobody']) t.is(machine.state.workers.get(id)?.dueAtMs, 100_500, id);
  const failed: string[] = [];
  for (let at = 100_250; at <= 110_000; at += 250) {
    for (const { event } of ofKind(machine.tick(at), 'emit'))
      if (event.kind === 'worker_failed') failed.push(`${event.workerId} ${event.reason} at ${at}`);
  }
  t.deepEqual(failed, ['w1 timeout at 105750', 'nobody timeout at 105750']);
});

test('a worker that beats is never failed', (t) => {
  const machine = new Machine({ nowMs: 0 });
  machine.join('w1');
  for (let at = 250; at <= 30_000; at += 250) {
    const events = ofKind(machine.tick(at), 'emit').map(({ event }) => event.kind);
    t.deepEqual(events, []);
    if (at % 500 === 0) machine.beat('w1');
  }
});

test('a coordinator that was itself paused looks at its lease first and fails nobody for it', (t) => {
  const machine = twoRunning({ nowMs: 0 });
  machine.tick(250);
  const commands = machine.tick(60_250);
  t.is(commands[0]?.kind, 'check-lease');
  t.is(ofKind(commands, 'hand-back').length, 0);
  t.is(machine.state.workers.get('w1')?.dueAtMs, 500 + 59_750, 'the deadline moves by the pause');
});

test('C11: a worker whose beat says that it drains no more is given items with that beat', (t) => {
  const machine = new Machine();
  machine.join('w1', { capacity: 0 });
  machine.beat('w1', { says: 'draining' });
  machine.supply(1);
  machine.poll('w1', { capacity: 1 });
  t.is(ofKind(machine.beat('w1', { says: 'ready' }), 'claim').length, 1);
});

test('a death that is known fails the worker at once, unless another process has registered since', (t) => {
  const machine = twoRunning();
  t.deepEqual(machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 99 }), []);
  const commands = machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  t.like(only(commands, 'emit', 'hand-back', 'forget'), { event: { kind: 'worker_failed', reason: 'exited', handedBack: 2 } });
  t.is(only(commands, 'hand-back', 'emit', 'forget').returns.length, 2);
});

test('a failed worker that was alive after all registers again, with an event of its own', (t) => {
  const machine = twoRunning();
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  t.like(ofKind(machine.beat('w1'), 'emit')[0], { event: { kind: 'worker_registered', workerId: 'w1' } });
});

test('L31: Deregister hands back what is left, and is answered when the ledger has forgotten the worker', (t) => {
  const machine = twoRunning();
  const token = machine.token();
  const commands = machine.tell({ kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token });
  t.is(only(commands, 'hand-back', 'emit', 'forget').returns.length, 2);
  t.like(only(commands, 'emit', 'hand-back', 'forget'), { event: { kind: 'worker_deregistered', handedBack: 2 } });
  t.is(ofKind(commands, 'reply-deregister').length, 0);
  t.like(only(machine.tell({ kind: 'forgotten', token }), 'reply-deregister'), { token, epoch: 3 });
});

test('L30: a worker that has seen a higher epoch makes the coordinator look at its lease before all else', (t) => {
  const machine = new Machine();
  const commands = machine.beat('w1', { highestEpoch: 4 });
  t.deepEqual(commands[0], { kind: 'check-lease', seen: { worker: 'w1', epoch: 4 } });
  t.like(commands[1], { kind: 'reply-beat', reply: { epoch: EPOCH, isSuperseded: false } }, 'L41: which tells the worker the older epoch');
  t.is(commands.length, 2, 'and it is not registered');
});

test('L26: a boot that was replaced while it counted as failed is told so when it comes back', (t) => {
  const machine = new Machine();
  machine.join('w1', { boot: 'b1' });
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  machine.join('w1', { boot: 'b2' });
  t.like(only(machine.beat('w1', { boot: 'b1' }), 'reply-beat').reply, { isSuperseded: true });
  t.is(machine.state.workers.get('w1')?.bootNonce, 'b2');
});

test('L26: a boot that was replaced under an earlier coordinator does not replace the one in the registry', (t) => {
  const machine = new Machine({ workers: [{ worker: 'w1', bootNonce: 'b2', pid: 8 }] });
  const late = machine.tell({ kind: 'beat', beat: { ...BEAT, bootNonce: 'b1', state: 'ready' }, token: 1 });
  t.like(only(late, 'reply-beat'), { reply: { isSuperseded: true } });
  t.is(machine.state.workers.get('w1')?.bootNonce, 'b2');
  const polled = machine.poll('w1', { boot: 'b1', hello: [] });
  t.like(only(polled, 'reply-poll'), { reply: { status: 'superseded' } });
  const next = machine.tell({ kind: 'beat', beat: { ...BEAT, bootNonce: 'b3', state: 'init' }, token: 2 });
  t.like(only(next, 'register', 'emit'), { worker: 'w1', info: { bootNonce: 'b3' } });
});

test('boots that have gone cost bounded memory, however many there were', (t) => {
  const machine = new Machine();
  for (let n = 0; n <= MAX_BOOTS; n += 1) {
    machine.beat('w1', { boot: `b${n}`, pid: n });
    machine.tell({ kind: 'worker-exited', worker: 'w1', pid: n });
    machine.beat(`spot-${n}`, { pid: n });
    machine.tell({ kind: 'worker-exited', worker: `spot-${n}`, pid: n });
    machine.tick(machine.nowMs + 60_000);
  }
  machine.beat('w1', { boot: 'last' });
  const { replacedBoots, goneBoots } = machine.state;
  t.deepEqual([replacedBoots.size, goneBoots.size], [MAX_BOOTS, MAX_BOOTS - 1], 'the last boot of w1 is not gone');
  const newest = only(machine.beat('w1', { boot: `b${MAX_BOOTS}` }), 'reply-beat');
  t.true(newest.reply.isSuperseded, 'the newest are those that are remembered');
});

test('L26: boots that are found to be older are remembered within the same bound', (t) => {
  const machine = new Machine();
  machine.join('w1');
  for (let n = 0; n <= MAX_BOOTS; n += 1) machine.tell({ kind: 'beat', beat: { ...BEAT, bootNonce: `old-${n}` }, token: n });
  t.is(machine.state.replacedBoots.size, MAX_BOOTS);
});

test('C1: a beat that knows a later epoch is a sign of life all the same', (t) => {
  const machine = new Machine();
  machine.beat('w1');
  const before = machine.state.workers.get('w1')?.dueAtMs ?? 0;
  machine.nowMs += 100;
  machine.beat('w1', { highestEpoch: 4 });
  t.is(machine.state.workers.get('w1')?.dueAtMs, before + 100);
});

test('a beat that asks for nothing counts as any other, and is not answered: one of a boot that is not known registers it', (t) => {
  const machine = new Machine();
  const silent = { ...BEAT, workerId: 'w1', bootNonce: 'b1', highestEpoch: EPOCH, isAsking: false };
  t.deepEqual(kinds(machine.tell({ kind: 'beat', beat: silent, token: null })), ['register', 'emit', 'emit']);
  t.deepEqual(kinds(machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' })), []);
  machine.nowMs = 2_000;
  t.deepEqual(kinds(machine.tell({ kind: 'beat', beat: silent, token: null })), ['emit']);
  t.is(machine.state.workers.get('w1')?.lastBeatMs, 2_000);
  machine.beat('w1', { boot: 'b2' });
  t.deepEqual(kinds(machine.tell({ kind: 'beat', beat: silent, token: null })), [], 'of a boot that was replaced nothing is told either');
});
