import test from 'ava';
import { noteReturned, waitsOf } from '../../../../runtime/coordinator/progress/waits.ts';
import { dropItem, itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { errorLine } from '../../../../runtime/format/output-line.ts';
import type { RunEvent } from '../../../../runtime/model/event.ts';
import type { Outcome } from '../../../../runtime/model/session.ts';
import { failureOf, heldItem, type Machine, ofKind, only, outcomeOf, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';

function failure(index: number, message: string, code = 'http_500'): Outcome {
  const line = errorLine({ id: 'x', customId: `a-${index}`, code, message, line: index + 1, response: null });
  return failureOf(ref(index), { code, line, delayMs: 4_000 });
}

/** Worker w1 hands over these failures, and the ledger takes the items back. */
function failed(outcomes: readonly Outcome[]): Machine {
  const machine = twoRunning({
    cursor: outcomes.length,
    running: outcomes.map(({ index }) => ({ index, row: rowFor('w1') })),
  });
  machine.join('w1', { held: outcomes.map(({ index }) => heldItem(index)), capacity: 0 });
  for (const outcome of outcomes) {
    const { returns } = only(machine.poll('w1', { outcomes: [outcome] }), 'hand-back', 'reply-poll');
    machine.tell({
      kind: 'handed-back',
      returns,
      results: returns.map(() => ({ ...RETURNED, faults: { ...RETURNED.faults, failures: 1, delayMs: 4_000 } })),
    });
  }
  return machine;
}

function events(machine: Machine, nowMs: number): readonly RunEvent[] {
  return ofKind(machine.tick(nowMs), 'emit')
    .map(({ event }) => event)
    .filter(({ kind }) => kind === 'items_wait');
}

test('items that failed wait for the reason that the server gave, the commonest first, until the first is due', (t) => {
  const machine = failed([
    failure(0, 'CUDA error in request 17'),
    failure(1, 'no such model', 'timeout'),
    failure(2, 'CUDA error in request 18'),
  ]);
  t.deepEqual(waitsOf(machine.state, machine.nowMs + 1_000), [
    { reason: 'http_500: CUDA error in request 17', items: 2, nextTryMs: 3_000 },
    { reason: 'timeout: no such model', items: 1, nextTryMs: 3_000 },
  ]);
});

test('what goes back uncounted waits for a reason as well: an item that failed alone, and one that everybody is refused', (t) => {
  const running = [0, 1].map((index) => ({ index, row: rowFor('w1') }));
  const machine = twoRunning({ running, cursor: 2 });
  machine.supply(100);
  machine.join('w1', { held: [heldItem(0), heldItem(1)], capacity: 0 });
  const probe = { ...failure(0, 'bad gateway', 'http_502'), isProbe: true };
  const refused = { ...ref(1), reason: 'refused', delayMs: 4_000, detail: 'http://m answered 403' } as const;
  for (const poll of [{ outcomes: [probe] }, { returns: [refused] }]) {
    const { returns } = only(machine.poll('w1', poll), 'hand-back', 'reply-poll', 'pause');
    machine.tell({ kind: 'handed-back', returns, results: [{ ...RETURNED, faults: { ...RETURNED.faults, delayMs: 4_000 } }] });
  }
  t.deepEqual(
    waitsOf(machine.state, machine.nowMs).map(({ reason }) => reason),
    ['http_502: bad gateway', 'http://m answered 403'],
  );
});

test('an item that is tried again keeps its reason until it is recorded', (t) => {
  const machine = failed([failure(0, 'CUDA error')]);
  machine.tick(1_250);
  for (let nowMs = 1_500; nowMs < 5_250; nowMs += 250) {
    machine.beat('w1');
    machine.tick(nowMs);
  }
  const commands = machine.poll('w1', { capacity: 1 });
  machine.grantAll(ofKind(commands, 'claim').length > 0 ? commands : machine.tick(5_250));
  t.deepEqual(waitsOf(machine.state, machine.nowMs), [{ reason: 'http_500: CUDA error', items: 1, nextTryMs: null }]);
  const outcome = outcomeOf(ref(0, 2));
  machine.poll('w1', { outcomes: [outcome] });
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.deepEqual(waitsOf(machine.state, machine.nowMs), []);
});

test('a throttled item says what the server said, or else that it is busy', (t) => {
  const machine = twoRunning();
  machine.join('w1', { held: [heldItem(0), heldItem(1)], capacity: 0 });
  machine.poll('w1', {
    returns: [
      { ...ref(0), reason: 'throttled', delayMs: 60_000, detail: '' },
      { ...ref(1), reason: 'throttled', delayMs: 60_000, detail: '' },
    ],
  });
  t.like(waitsOf(machine.state, machine.nowMs), [{ reason: 'throttled: the server said that it is busy (429 or 503)', items: 2 }]);
  noteReturned(machine.state, itemAt(machine.state, 0), {
    ...ref(0),
    reason: 'throttled',
    delayMs: 1,
    detail: 'http_429: come back at noon',
  });
  t.is(itemAt(machine.state, 0).why?.reason, 'http_429: come back at noon');
});

test('what comes back for a drain has no reason to be told', (t) => {
  const machine = twoRunning();
  machine.join('w1', { held: [heldItem(0), heldItem(1)], capacity: 0 });
  machine.poll('w1', { returns: [{ ...ref(0), reason: 'drained', delayMs: 0, detail: '' }] });
  t.deepEqual(waitsOf(machine.state, machine.nowMs), []);
});

test('the commonest reason is an event within seconds, and again with growing gaps', (t) => {
  const machine = failed([failure(0, 'CUDA error')]);
  const told: number[] = [];
  for (let nowMs = 1_250; nowMs < 61_000; nowMs += 250) {
    machine.beat('w1');
    for (const event of events(machine, nowMs)) {
      t.like(event, { reason: 'http_500: CUDA error', items: 1 });
      told.push(nowMs);
    }
  }
  t.true((told[0] ?? 0) <= 3_000, `first told at ${told[0]} ms`);
  t.true(told.length >= 3 && told.length <= 6, `told ${told.length} times in a minute`);
});

test('many items with the same cause share it, and a cause that no item has is forgotten', (t) => {
  const machine = failed([failure(0, 'CUDA error in request 17'), failure(1, 'CUDA error in request 18'), failure(2, 'no such model')]);
  const [first, second, third] = [0, 1, 2].map((index) => itemAt(machine.state, index));
  t.is(first?.why, second?.why);
  t.not(first?.why, third?.why);
  dropItem(machine.state, itemAt(machine.state, 2));
  waitsOf(machine.state, machine.nowMs);
  t.is(machine.state.waits.causes.size, 1);
});

test('however many items wait, and however often somebody asks, counting them takes a small part of the time', (t) => {
  const handedBack = Array.from({ length: 100_000 }, (_, index) => ({ index, row: rowFor('w1'), delayMs: 600_000 }));
  const machine = twoRunning({ cursor: handedBack.length, running: [], handedBack });
  const { state, nowMs: startMs } = machine;
  let counts = 0;
  const withHistory = state.items.withHistory.bind(state.items);
  state.items.withHistory = () => {
    counts += 1;
    return withHistory();
  };
  for (let atMs = 0; atMs < 60_000; atMs += 100) {
    const [told] = waitsOf(state, startMs + atMs);
    t.like(told, { items: 100_000, nextTryMs: 600_000 - atMs });
  }
  t.is(counts, 6);
});

test('a worker that takes no items says why in an event, once for each reason', (t) => {
  const machine = twoRunning();
  const first = machine.beat('w1', { detail: 'waiting for http://h:1: answered 502' });
  t.deepEqual(
    ofKind(first, 'emit')
      .map(({ event }) => event)
      .filter(({ kind }) => kind === 'worker_waits'),
    [{ kind: 'worker_waits', workerId: 'w1', reason: 'waiting for http://h:1: answered 502' }],
  );
  machine.beat('w1');
  const again = machine.beat('w1', { detail: 'waiting for http://h:1: answered 502' });
  t.false(ofKind(again, 'emit').some(({ event }) => event.kind === 'worker_waits'));
});

test('what waits since an earlier coordinator is told with its time, though nobody knows why', (t) => {
  const machine = twoRunning({ handedBack: [{ index: 2, row: rowFor('w2'), delayMs: 60_000 }] });
  t.like(waitsOf(machine.state, machine.nowMs), [{ items: 1, nextTryMs: 60_000 }]);
  t.deepEqual(waitsOf(machine.state, machine.nowMs + 60_000), []);
});
