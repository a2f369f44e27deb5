import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { checkState } from '../../../../runtime/coordinator/machine/check-state.ts';
import type { ItemTable } from '../../../../runtime/coordinator/state/item-table.ts';
import { addWaiting, itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import { unqueue } from '../../../../runtime/coordinator/state/queues.ts';
import type { State } from '../../../../runtime/coordinator/state/state.ts';
import type { OwnWorker } from '../../../../runtime/coordinator/state/worker.ts';
import { ownWorkers } from '../../../../runtime/coordinator/state/workers.ts';
import { assignmentOf, outcomeOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';

/** One fault in the state, and how it is told. */
const FAULTS: readonly (readonly [string, (state: State) => void, RegExp])[] = [
  [
    'an item that is gone and was not counted',
    (state) => (state.items as ItemTable).delete(2),
    /below the cursor 3 are 0 done, 0 failed and 2 open items/,
  ],
  [
    'an outcome that waits for no lock',
    (state) => addWaiting(itemAt(state, 0), { worker: 'w1', outcome: outcomeOf(ref(0)) }),
    /item 0.*judged when it opens/,
  ],
  ['a lock for which nothing is under way', (state) => lockItem(itemAt(state, 2), 'claiming'), /item 2, lock claiming, is queued as ready/],
  ['an item in no queue', (state) => unqueue(state, new Set([2])), /item 2 waits in no queue/],
  ['an item in two queues', (state) => void (state.delayed as number[]).push(2), /item 2 is queued as ready and as delayed/],
  ['a row that its worker does not know', (state) => void w1(state).items.delete(0), /item 0.*its row is of w1/],
  ['a row of nobody', (state) => w1(state).items.add(2), /w1 has no row of item 2/],
  ['a line for a row of another', (state) => w1(state).unread.add(2), /w1 is to be sent only what is its own/],
  [
    'bytes that are not counted',
    (state) => w1(state).outgoing.set(0, assignmentOf(ref(0))),
    /w1: 6 bytes are to be sent, and 0 are counted/,
  ],
  ['a worker with room that nobody asks', (state) => state.withCapacity.clear(), /w1 has room and is not asked/],
  [
    'a worker that is not told what it may forget',
    (state) => void w1(state).acknowledged.push(ref(0)),
    /w1 is not told what it may forget/,
  ],
  ['a recall that nobody waits for', (state) => void w1(state).awaited.add(0), /w1 awaits item 0/],
  [
    'an outcome that is held back of no item',
    (state) => void state.heldFailures.push({ worker: 'w1', outcome: outcomeOf(ref(0)) }),
    /item 0 is named, and not locked as suspect/,
  ],
  ['a command that was not given out', (state) => void state.commands.push({ kind: 'export' }), /commands of a fact are taken/],
];

function w1(state: State): OwnWorker {
  return mustGet(ownWorkers(state).get('w1'), 'w1');
}

/** Two items run on a worker that listens and has room, and one waits. */
function healthy(): State {
  const machine = twoRunning({ handedBack: [{ index: 2, row: rowFor('w2') }] });
  machine.join('w1', { capacity: 0, held: [0, 1].map((index) => ({ ...ref(index), state: 'started' as const })) });
  w1(machine.state).capacity = 1;
  machine.state.withCapacity.add('w1');
  return machine.state;
}

test('a state in which all parts agree passes', (t) => {
  t.notThrows(() => checkState(healthy()));
});

for (const [fault, plant, message] of FAULTS) {
  test(`${fault} is noticed`, (t) => {
    const state = healthy();
    plant(state);
    t.throws(() => checkState(state), { message });
  });
}
