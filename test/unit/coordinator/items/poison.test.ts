import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { suspectRoom, togetherMs } from '../../../../runtime/coordinator/items/poison.ts';
import { correct, itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { assignmentOf, heldItem, Machine, ofKind, only, outcomeOf, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH, SETTINGS } from '../../../support/machine-start.ts';

const TOGETHER_MS = SETTINGS.coordinatorFailureTimeoutMs;
const WORKERS = ['w1', 'w2', 'w3'].map((worker, at) => ({ worker, bootNonce: 'b1', pid: at + 1 }));

/** w1 runs only item 0, which has these faults. */
function alone(more: { readonly suspicions?: number; readonly crashes?: number } = {}): Machine {
  const machine = new Machine({ cursor: 1, running: [{ index: 0, row: rowFor('w1') }], workers: WORKERS });
  correct(itemAt(machine.state, 0), { lastAttempt: 1, faults: { ...NO_FAULTS, ...more } });
  machine.supply(1);
  machine.join('w1', { pid: 1, held: [heldItem(0)], capacity: 0 });
  return machine;
}

function crash(machine: Machine, worker: string, pid: number): ReturnType<Machine['tell']> {
  return machine.tell({ kind: 'worker-exited', worker, pid });
}

const reasons = (commands: ReturnType<Machine['tell']>): readonly (readonly [number, string])[] =>
  ofKind(commands, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason }) => [index, reason] as const));

test('items in flight at a crash become suspects; those that were never sent do not', (t) => {
  const machine = twoRunning({ running: [0, 1, 2].map((index) => ({ index, row: rowFor('w1') })), cursor: 3 });
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  t.deepEqual(reasons(crash(machine, 'w1', 7)), [
    [0, 'suspected'],
    [1, 'suspected'],
    [2, 'lost'],
  ]);
});

test('a crash counts against the only item in flight, once it is known that no other worker was lost with it', (t) => {
  const machine = alone();
  t.deepEqual(reasons(crash(machine, 'w1', 1)), []);
  t.deepEqual(reasons(machine.tick(machine.nowMs + TOGETHER_MS)), []);
  t.deepEqual(reasons(machine.tick(machine.nowMs + 1)), [[0, 'crashed']]);
});

test('nothing counts when several workers were lost together, before or after', (t) => {
  const after = alone();
  crash(after, 'w1', 1);
  crash(after, 'w2', 2);
  t.deepEqual(reasons(after.tick(after.nowMs + TOGETHER_MS + 1)), [[0, 'lost']]);
  const before = alone();
  crash(before, 'w2', 2);
  before.nowMs += 4_000;
  t.deepEqual(reasons(crash(before, 'w1', 1)), [[0, 'lost']]);
});

test('a silent worker is no crash, and neither is one that says goodbye', (t) => {
  const silent = alone();
  let commands = silent.tick(silent.nowMs);
  for (let n = 0; n < 40; n += 1) commands = [...commands, ...silent.tick(silent.nowMs + 250)];
  t.deepEqual(reasons(commands), [[0, 'lost']]);
  const leaving = alone();
  const deregistration = { workerId: 'w1', bootNonce: 'b1', isClean: true };
  t.deepEqual(reasons(leaving.tell({ kind: 'deregister', deregistration, token: 99 })), [[0, 'lost']]);
});

test('the outcome of an item on trial, from the store of its restarted worker, ends the trial', (t) => {
  const machine = alone();
  crash(machine, 'w1', 1);
  machine.join('w1', { boot: 'b2', pid: 9, held: [heldItem(0, 'finished')], capacity: 0 });
  const commands = machine.poll('w1', { boot: 'b2', outcomes: [outcomeOf(ref(0))] });
  t.is(ofKind(commands, 'record').length, 1);
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: outcomeOf(ref(0)) }], verdicts: ['accepted'] });
  t.deepEqual(reasons(machine.tick(machine.nowMs + TOGETHER_MS + 1)), []);
});

test('L15: the third crash alone makes it poison, which the coordinator records; nobody claims it meanwhile', (t) => {
  const machine = alone({ crashes: 2 });
  crash(machine, 'w1', 1);
  const { returns } = only(machine.tick(machine.nowMs + TOGETHER_MS + 1), 'hand-back', 'check-lease');
  machine.join('w2', { pid: 2, capacity: 4 });
  const results = [{ ...RETURNED, faults: { ...NO_FAULTS, crashes: 3 } }];
  const known = machine.tell({ kind: 'handed-back', returns, results });
  t.deepEqual(only(known, 'reject'), { kind: 'reject', refs: [ref(0)], why: 'poison' });
  t.is(ofKind(known, 'claim').length, 0);
  const outcome = outcomeOf(ref(0), { kind: 'error', httpStatus: 0, code: 'poison' });
  const recorded = machine.tell({ kind: 'rejected', outcomes: [outcome] });
  t.deepEqual(only(recorded, 'record').recordings, [{ worker: 'coordinator', outcome }]);
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'coordinator', outcome }], verdicts: ['accepted'] });
  t.is(machine.state.failed, 1);
});

test('L24: poison that an earlier coordinator did not come to record is recorded by this one', (t) => {
  const machine = new Machine({ cursor: 1, handedBack: [{ index: 0, row: rowFor('w1'), crashes: 3 }] });
  t.deepEqual(only(machine.started, 'reject', 'survey'), { kind: 'reject', refs: [ref(0)], why: 'poison' });
  t.deepEqual(machine.state.ready, []);
});

test('an item that was in flight at two losses shortly one after the other is suspect: it is what they have in common', (t) => {
  const machine = twoRunning({ running: [0, 1].map((index) => ({ index, row: rowFor('w1') })), cursor: 2, workers: WORKERS.slice(0, 2) });
  machine.join('w1', { pid: 1, held: [heldItem(0), heldItem(1)], capacity: 0 });
  const { returns } = only(crash(machine, 'w1', 1), 'hand-back', 'reply-poll', 'emit', 'forget');
  const results = returns.map(() => ({ ...RETURNED, faults: { ...NO_FAULTS, suspicions: 1 } }));
  machine.tell({ kind: 'handed-back', returns, results });
  machine.supply(9);
  machine.load(machine.grantAll(machine.join('w2', { pid: 2, capacity: 3 })));
  const second = reasons(crash(machine, 'w2', 2));
  t.deepEqual(
    second.filter(([, reason]) => reason === 'suspected').map(([index]) => index),
    [0, 1],
  );
  t.true(second.length > 2 && second.every(([index, reason]) => index < 2 || reason === 'lost'), 'the others are not');
});

test('what an earlier coordinator had claimed may have been lost with it, and becomes no suspect', (t) => {
  const row = { ...rowFor('w1'), claimEpoch: EPOCH - 1 };
  const machine = new Machine({ cursor: 1, running: [{ index: 0, row }], workers: WORKERS });
  machine.supply(1);
  machine.join('w1', { pid: 1, held: [heldItem(0)], capacity: 0 });
  t.deepEqual(reasons(crash(machine, 'w1', 1)), [[0, 'lost']]);
});

test('a worker has few suspects at a time beside other items, so that a second crash leaves few to run alone', (t) => {
  const machine = new Machine({
    cursor: 9,
    handedBack: Array.from({ length: 9 }, (_, index) => ({ index, row: rowFor('w9'), suspicions: 1 })),
    workers: WORKERS.slice(0, 1),
  });
  machine.supply(30);
  const first = machine.join('w1', { pid: 1, capacity: 8 });
  const { grants } = only(first, 'claim');
  const [granted] = grants.map(({ picks }) => picks.filter((pick) => 'index' in pick).length);
  t.is(granted, 2, 'the square root of a concurrency of 4');
  t.is(machine.state.ready.length, 7);
  machine.grantAll(first);
  const worker = mustGet(machine.state.workers.get('w1'), 'the worker');
  t.is(suspectRoom(machine.state, worker), 0);
  machine.nowMs += 10_001;
  machine.tick(machine.nowMs);
  t.is(suspectRoom(machine.state, worker), 2, 'what has run for so long makes room for more');
});

test('a short failure timeout makes the span of losses together short, and a long one does not make it long', (t) => {
  const of = (coordinatorFailureTimeoutMs: number): number => togetherMs(new Machine({ settings: { coordinatorFailureTimeoutMs } }).state);
  t.deepEqual([of(2_000), of(5_000), of(120_000)], [2_000, 5_000, 5_000]);
});

test('C3: a suspect whose answer the breaker holds back takes no room: the answer that it waits for may be another one', (t) => {
  const machine = new Machine({
    cursor: 2,
    handedBack: [0, 1].map((index) => ({ index, row: rowFor('w2'), suspicions: 1 })),
    workers: WORKERS.slice(0, 1),
  });
  machine.supply(2);
  machine.beat('w1', { pid: 1, concurrency: 1 });
  const first = machine.poll('w1', { hello: [], capacity: 4 });
  machine.grantAll(first);
  const refused = outcomeOf(ref(0, 2), { kind: 'error', httpStatus: 404, code: 'http_404' });
  const next = machine.poll('w1', { capacity: 4, outcomes: [refused] });
  t.deepEqual(only(next, 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ index: 1, lastAttempt: 1 }] }]);
});

test('C7: what a worker was never sent has not crashed with it; its next boot is given it under the same attempt', (t) => {
  const machine = new Machine();
  machine.supply(3);
  const load = machine.grantAll(machine.join('w1', { capacity: 3 }));
  // Of three rows the first line is read and sent; two are still to be read.
  const [first] = only(load, 'load').refs;
  machine.tell({ kind: 'loaded', worker: 'w1', assignments: first === undefined ? [] : [assignmentOf(first)] });
  machine.beat('w1', { boot: 'b2' });
  machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b2' });
  const commands = machine.poll('w1', { boot: 'b2', hello: [] });
  t.deepEqual(ofKind(commands, 'hand-back'), [], 'the crash of one alone is looked into first');
  t.deepEqual(
    [0, 1, 2].map((index) => itemAt(machine.state, index).lock),
    ['crashed', null, null],
  );
  t.deepEqual(only(commands, 'load').refs, [ref(1), ref(2)]);
});
