import test from 'ava';
import { COORDINATOR_WORKER } from '../../../../runtime/model/row.ts';
import { kinds, Machine, only, outcomeOf, ref, rowFor } from '../../../support/machine.ts';

test('a start over an empty ledger asks for the input and nothing else', (t) => {
  t.deepEqual(kinds(new Machine().started), ['survey']);
});

test('L15: what an earlier coordinator had claimed for itself is taken up at the start', (t) => {
  const machine = new Machine({ cursor: 1, running: [{ index: 0, row: rowFor(COORDINATOR_WORKER, 1, 1) }] });
  t.deepEqual(only(machine.started, 'reject', 'survey').refs, [ref(0, 1, 1)]);
  const line = outcomeOf(ref(0, 1, 1), { kind: 'error', httpStatus: 0, code: 'invalid_json' });
  t.like(only(machine.tell({ kind: 'rejected', outcomes: [line] }), 'record').recordings[0], { worker: COORDINATOR_WORKER });
});

test('an item is claimed again at the first tick after its time, not before', (t) => {
  const machine = new Machine({ cursor: 1, handedBack: [{ index: 0, row: rowFor('w1'), delayMs: 400 }], nowMs: 1_000 });
  machine.supply(1);
  machine.join('w1');
  t.deepEqual(kinds(machine.tick(1_399)), []);
  t.deepEqual(only(machine.tick(1_400), 'claim').grants, [{ worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] }]);
});

test('any number of items may be due at the same moment', (t) => {
  const handedBack = Array.from({ length: 200_000 }, (_, index) => ({ index, row: rowFor('w1'), delayMs: 400 }));
  const machine = new Machine({ cursor: handedBack.length, handedBack, nowMs: 1_000 });
  machine.tick(1_399);
  t.deepEqual([machine.state.delayed.length, machine.state.ready.length], [200_000, 0]);
  machine.tick(1_400);
  t.deepEqual([machine.state.delayed.length, machine.state.ready.length], [0, 200_000]);
});

test('commands are given out once', (t) => {
  const machine = new Machine();
  machine.beat('w1');
  t.deepEqual(kinds(machine.tick(machine.nowMs)), []);
});
