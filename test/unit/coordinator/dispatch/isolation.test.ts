import test from 'ava';
import { planIsolation } from '../../../../runtime/coordinator/dispatch/isolation.ts';
import { dropItem, itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { heldItem, Machine, ofKind, only, outcomeOf, ref, rowFor } from '../../../support/machine.ts';
import { SETTINGS } from '../../../support/machine-start.ts';

const TOGETHER_MS = SETTINGS.coordinatorFailureTimeoutMs;
const WORKERS = ['w1', 'w2', 'w3'].map((worker, at) => ({ worker, bootNonce: 'b1', pid: at + 1 }));

/** Two suspects of two crashes, and one worker with nothing to do. */
function twoAlone(): Machine {
  const machine = new Machine({
    cursor: 2,
    handedBack: [0, 1].map((index) => ({ index, row: rowFor('w2'), suspicions: 2 })),
    workers: WORKERS.slice(0, 2),
  });
  machine.supply(2);
  return machine;
}

test('a suspect of two crashes runs alone on one worker, once that has nothing else; the others go on', (t) => {
  const machine = new Machine({
    cursor: 2,
    running: [{ index: 1, row: rowFor('w1') }],
    handedBack: [{ index: 0, row: rowFor('w2'), suspicions: 2 }],
    workers: WORKERS.slice(0, 2),
  });
  machine.supply(9);
  t.is(
    ofKind(machine.join('w1', { pid: 1, held: [heldItem(1)], capacity: 3 }), 'claim').length,
    0,
    'it has another item, and gets no more',
  );
  t.deepEqual(machine.state.alone, [0]);
  t.deepEqual(machine.state.poison.host, { worker: 'w1', index: null });
  const outcome = outcomeOf(ref(1));
  machine.poll('w1', { capacity: 4, outcomes: [outcome] });
  const free = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.deepEqual(only(free, 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] }]);
  machine.grantAll(free);
  const others = machine.join('w2', { pid: 2, capacity: 3 });
  t.deepEqual(only(others, 'claim').grants, [{ worker: 'w2', picks: [{ cursor: 2, count: 3 }] }]);
});

test('C3: one that runs alone and whose answer the breaker holds back is followed by the next, whose answer may be waited for', (t) => {
  const machine = twoAlone();
  const first = machine.join('w1', { pid: 1, capacity: 4 });
  machine.grantAll(first);
  const refused = outcomeOf(ref(0, 2), { kind: 'error', httpStatus: 404, code: 'http_404' });
  const next = machine.poll('w1', { capacity: 4, outcomes: [refused] });
  t.is(ofKind(next, 'record').length, 0);
  t.deepEqual(only(next, 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ index: 1, lastAttempt: 1 }] }]);
});

test('the one that runs alone is followed by the next; then its worker works like the others', (t) => {
  const machine = new Machine({
    cursor: 2,
    handedBack: [0, 1].map((index) => ({ index, row: rowFor('w2'), suspicions: 2 })),
    workers: WORKERS.slice(0, 1),
  });
  machine.supply(2);
  const first = machine.join('w1', { pid: 1, capacity: 4 });
  t.deepEqual(only(first, 'claim').grants, [{ worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] }]);
  machine.grantAll(first);
  const outcome = outcomeOf(ref(0, 2));
  machine.poll('w1', { capacity: 4, outcomes: [outcome] });
  const next = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.deepEqual(only(next, 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ index: 1, lastAttempt: 1 }] }]);
  machine.grantAll(next);
  const last = outcomeOf(ref(1, 2));
  machine.poll('w1', { capacity: 4, outcomes: [last] });
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: last }], verdicts: ['accepted'] });
  t.deepEqual(planIsolation(machine.state, new Map()), []);
  t.is(machine.state.poison.host, null);
});

test('nothing runs alone shortly after a loss, since its own crash would not count then', (t) => {
  const machine = twoAlone();
  machine.tell({ kind: 'worker-exited', worker: 'w2', pid: 2 });
  t.is(ofKind(machine.join('w1', { pid: 1, capacity: 4 }), 'claim').length, 0);
  t.is(machine.state.poison.host, null, 'and no worker is kept free meanwhile');
  machine.nowMs += TOGETHER_MS;
  t.is(ofKind(machine.poll('w1', { capacity: 4 }), 'claim').length, 0);
  machine.nowMs += 1;
  t.deepEqual(only(machine.poll('w1', { capacity: 4 }), 'claim', 'reply-poll').grants, [
    { worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] },
  ]);
});

test('where workers are lost all the time it runs after a while, so that a good item is not kept from its result', (t) => {
  const machine = twoAlone();
  const sinceMs = machine.nowMs;
  machine.state.poison.losses.push({ atMs: sinceMs, items: new Set() });
  machine.join('w1', { pid: 1, capacity: 4 });
  let claims = 0;
  for (let n = 1; claims === 0 && n < 40; n += 1) {
    machine.nowMs += 1_000;
    machine.state.poison.losses.push({ atMs: machine.nowMs, items: new Set() });
    claims += ofKind([...machine.beat('w1', { pid: 1 }), ...machine.poll('w1', { capacity: 4 })], 'claim').length;
  }
  t.is(claims, 1);
  t.is(machine.nowMs - sinceMs, 16_000);
});

test('C11: a worker that is not kept free any more is given items with the next fact', (t) => {
  const machine = new Machine({
    cursor: 4,
    running: [1, 2, 3].map((index) => ({ index, row: rowFor(`w${index}`) })),
    handedBack: [{ index: 0, row: rowFor('w2'), suspicions: 2 }],
    workers: WORKERS,
  });
  machine.supply(5);
  for (const n of [1, 2, 3]) machine.join(`w${n}`, { pid: n, held: [heldItem(n)], capacity: n === 1 ? 3 : 0 });
  t.deepEqual(machine.state.poison.host, { worker: 'w1', index: null });
  dropItem(machine.state, itemAt(machine.state, 3));
  machine.state.failed += 1;
  machine.tick(machine.nowMs + 250);
  t.deepEqual(machine.state.poison.host, { worker: 'w3', index: null }, 'it has less to do');
  t.deepEqual(only(machine.poll('w2'), 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ cursor: 4, count: 1 }] }]);
});

test('C11: who hosts it is looked for among the workers that have changed, and at each scan among all', (t) => {
  const machine = new Machine({
    cursor: 4,
    running: [1, 2, 3].map((index) => ({ index, row: rowFor(`w${index}`) })),
    handedBack: [{ index: 0, row: rowFor('w2'), suspicions: 2 }],
    workers: WORKERS,
  });
  machine.supply(4);
  for (const n of [1, 2, 3]) machine.join(`w${n}`, { pid: n, held: [heldItem(n)], capacity: 3 });
  dropItem(machine.state, itemAt(machine.state, 3));
  machine.state.failed += 1;
  machine.state.dirty.clear();
  machine.poll('w2', { capacity: 3 });
  t.deepEqual(machine.state.poison.host, { worker: 'w1', index: null }, 'a word of w2 does not have w3 looked at');
  t.deepEqual(only(machine.tick(machine.nowMs + 250), 'claim').grants, [{ worker: 'w3', picks: [{ index: 0, lastAttempt: 1 }] }]);
});

test('C7: a worker whose backend waits for a probe hosts it, since nothing else may be left to try', (t) => {
  const machine = twoAlone();
  machine.join('w1', { pid: 1, capacity: 0 });
  machine.beat('w1', { pid: 1, says: 'not-ready' });
  machine.tick(machine.nowMs + 250);
  t.is(machine.state.poison.host, null, 'it takes nothing');
  const probing = machine.poll('w1', { capacity: 1 });
  t.deepEqual(only(probing, 'claim', 'reply-poll').grants, [{ worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] }]);
});
