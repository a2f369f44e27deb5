import test from 'ava';
import { drainReply, hintReply } from '../../../../runtime/coordinator/workers/hints.ts';
import type { DrainOrder, HintWord } from '../../../../runtime/model/drain.ts';
import type { ComputeHint } from '../../../../runtime/model/hint.ts';
import { Machine, ofKind, okReply, twoRunning } from '../../../support/machine.ts';

function fileHint(more: Partial<ComputeHint> = {}): ComputeHint {
  return { node: 'n1', worker: null, severity: 'drain', untilMs: null, reason: 'file', ...more };
}

function word(more: Partial<HintWord> = {}): HintWord {
  return { node: 'n1', worker: null, severity: 'drain', provider: null, deadlineMs: null, reason: 'call', ...more };
}

function order(more: Partial<DrainOrder> = {}): DrainOrder {
  return { workerId: 'w1', bootNonce: '', deadlineMs: 30_000, reason: 'maintenance', ...more };
}

/** Workers with an open session, each on its node. */
function onNodes(nodes: Readonly<Record<string, string>>): Machine {
  const machine = new Machine();
  for (const [worker, node] of Object.entries(nodes)) {
    machine.join(worker);
    sayNode(machine, worker, node);
  }
  return machine;
}

function sayNode(machine: Machine, workerId: string, node: string): ReturnType<Machine['tell']> {
  const beat = {
    workerId,
    bootNonce: 'b1',
    state: 'ready',
    concurrency: 4,
    pid: 7,
    loopLagMs: 0,
    highestEpoch: 3,
    detail: '',
    node,
    isAsking: true,
  } as const;
  return machine.tell({ kind: 'beat', beat, token: machine.token() });
}

function orders(machine: Machine): readonly unknown[] {
  return [...machine.state.workers.values()].map((worker) => [worker.id, worker.toldOrder.order]);
}

test('all workers of a node hear it, and no other', (t) => {
  const machine = onNodes({ w1: 'n1', w2: 'n2', w3: 'n1' });
  machine.tell({ kind: 'hints', hints: [fileHint()] });
  t.deepEqual(orders(machine), [
    ['w1', 'drain'],
    ['w2', 'work'],
    ['w3', 'drain'],
  ]);
});

test('a worker that says its node only later, or registers later, hears what stands', (t) => {
  const machine = onNodes({ w1: '' });
  machine.tell({ kind: 'hints', hints: [fileHint(), fileHint({ node: null, worker: 'w2' })] });
  t.deepEqual(orders(machine), [['w1', 'work']]);
  t.like(okReply(sayNode(machine, 'w1', 'n1'), 'emit', 'reply-beat'), { order: 'drain' });
  machine.join('w2');
  t.deepEqual(orders(machine).at(-1), ['w2', 'drain']);
});

test('the strictest of all sources counts, with the earliest time; what one withdraws another still says', (t) => {
  const machine = onNodes({ w1: 'n1' });
  const { nowMs } = machine;
  machine.tell({ kind: 'hints', hints: [fileHint({ severity: 'hint', untilMs: nowMs + 1 })] });
  t.is(machine.state.workers.get('w1')?.demand?.severity, 'hint');
  machine.tell({ kind: 'hint', word: word({ provider: 'aws' }) });
  machine.tell({ kind: 'drain', order: order() });
  t.like(machine.state.workers.get('w1')?.demand, { severity: 'drain', untilMs: nowMs + 30_000 });
  machine.tell({ kind: 'hint', word: word({ provider: 'gcp', deadlineMs: 20_000 }) });
  t.like(machine.state.workers.get('w1')?.demand, { severity: 'drain', untilMs: nowMs + 15_000 }, 'the newest word about the node');
  machine.tell({ kind: 'hint', word: word({ severity: 'withdrawn' }) });
  t.like(machine.state.workers.get('w1')?.demand, { severity: 'drain', untilMs: nowMs + 30_000, reason: 'maintenance' });
});

test('L31: gone fails the workers of the node at once, and once; one that lives all the same is told to stop', (t) => {
  const machine = twoRunning();
  machine.join('w1', { held: [] });
  sayNode(machine, 'w1', 'n1');
  const commands = machine.tell({ kind: 'hint', word: word({ severity: 'gone' }) });
  t.like(
    ofKind(commands, 'emit').map((one) => one.event),
    [{ kind: 'worker_failed', workerId: 'w1', reason: 'gone' }],
  );
  t.is(machine.state.workers.size, 0);
  sayNode(machine, 'w1', 'n1');
  machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b1' });
  t.like(okReply(machine.poll('w1', { hello: [], capacity: 4 })), { order: 'drain', drainMs: 1 });
  t.deepEqual(ofKind(machine.tell({ kind: 'hint', word: word({ severity: 'gone' }) }), 'emit'), [], 'not failed again by the same word');
});

test('whoever gives a hint hears whom it concerns', (t) => {
  const machine = onNodes({ w1: 'n1', w2: 'n2', w3: 'n1' });
  t.deepEqual(hintReply(machine.state, word()), { workers: ['w1', 'w3'] });
  t.deepEqual(hintReply(machine.state, word({ node: null, worker: 'w2' })), { workers: ['w2'] });
  t.deepEqual(hintReply(machine.state, word({ worker: 'w2' })), { workers: [] }, 'both must be so');
});

test('an order to drain is for one boot: asked again it tightens, and says how far it is', (t) => {
  const machine = onNodes({ w1: 'n1' });
  machine.tell({ kind: 'drain', order: order() });
  t.deepEqual(drainReply(machine.state, order()), { state: 'draining', bootNonce: 'b1', steps: [] });
  machine.tell({ kind: 'drain', order: order({ bootNonce: 'b1', deadlineMs: 60_000, reason: 'later' }) });
  t.like(machine.state.workers.get('w1')?.demand, { untilMs: machine.nowMs + 30_000, reason: 'maintenance' });
  machine.tell({ kind: 'drain', order: order({ deadlineMs: 5_000 }) });
  t.like(machine.state.workers.get('w1')?.demand, { untilMs: machine.nowMs + 5_000 });
  const steps = [{ step: 'stopped-pulling', items: 0, remainingMs: 5_000, reason: 'maintenance' }] as const;
  machine.poll('w1', { drainSteps: steps });
  t.deepEqual(drainReply(machine.state, order({ bootNonce: 'b1' })), { state: 'draining', bootNonce: 'b1', steps });
  machine.tell({ kind: 'deregister', deregistration: { workerId: 'w1', bootNonce: 'b1', isClean: true }, token: 99 });
  const left = [...steps, { ...steps[0], step: 'leaving' }];
  t.deepEqual(drainReply(machine.state, order({ bootNonce: 'b1' })), { state: 'left', bootNonce: 'b1', steps: left });
  machine.join('w1', { boot: 'b2' });
  t.is(machine.state.workers.get('w1')?.demand, null, 'the next process under this id works');
});

test('an order to drain that a worker loses sight of is not lost: it registers again under the same boot', (t) => {
  const machine = onNodes({ w1: 'n1' });
  machine.tell({ kind: 'drain', order: order() });
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  t.like(drainReply(machine.state, order({ bootNonce: 'b1' })), { state: 'lost' });
  machine.join('w1');
  t.like(machine.state.workers.get('w1')?.demand, { severity: 'drain' });
});

test('nobody of that name: the answer names those who work; a boot that nobody knows any more has left', (t) => {
  const machine = onNodes({ w1: 'n1', w2: 'n2' });
  machine.tell({ kind: 'drain', order: order({ workerId: 'w9' }) });
  t.deepEqual(drainReply(machine.state, order({ workerId: 'w9' })), { state: 'unknown', workers: ['w1', 'w2'] });
  t.deepEqual(drainReply(machine.state, order({ bootNonce: 'older' })), { state: 'left', bootNonce: 'older', steps: [] });
  t.deepEqual(orders(machine), [
    ['w1', 'work'],
    ['w2', 'work'],
  ]);
});

test('C11: a word about one machine looks at its own workers alone, and so does the one that is forgotten for it', (t) => {
  const machine = onNodes({ w1: 'n1', w2: 'n2', w3: 'n3' });
  for (const node of ['n2', 'n3']) machine.tell({ kind: 'hint', word: word({ node }) });
  const demandOf = (id: string): unknown => machine.state.workers.get(id)?.demand;
  const before = demandOf('w3');
  machine.tell({ kind: 'hint', word: word() });
  t.not(demandOf('w1'), null);
  t.is(demandOf('w3'), before, 'it was not looked at again');
  for (let n = 0; n < 9_998; n += 1) machine.tell({ kind: 'hint', word: word({ node: `other ${n}` }) });
  t.is(demandOf('w2'), null, 'of so many the oldest word is forgotten');
  t.is(demandOf('w3'), before);
});
