import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import { Picking } from '../../../../runtime/coordinator/dispatch/picking.ts';
import type { GrantPick } from '../../../../runtime/coordinator/state/commands.ts';
import { dropItem, itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import type { State } from '../../../../runtime/coordinator/state/state.ts';
import { Machine, rowFor } from '../../../support/machine.ts';

const WORKERS = ['w1', 'w2', 'w3'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 }));

/** Handed-back items in this order, each with so many suspicions; nobody asks for any yet. */
function handedBack(...suspicions: readonly number[]): State {
  const items = suspicions.map((count, index) => ({ index, row: rowFor('w9'), suspicions: count }));
  return new Machine({ cursor: items.length, handedBack: items, workers: WORKERS }).state;
}

/** The indexes that each of these workers is given in one round. */
function picked(state: State, round: Picking, shares: Readonly<Record<string, number>>): readonly (readonly number[])[] {
  return Object.entries(shares).map(([id, free]) => {
    const into: GrantPick[] = [];
    round.pick({ worker: mustGet(state.workers.get(id), 'worker'), free }, into);
    return into.map((pick) => ('index' in pick ? pick.index : -1));
  });
}

test('the workers of a round go through the items once, in the order in which these came back', (t) => {
  const state = handedBack(0, 0, 0, 0, 0);
  const round = new Picking(state);
  t.deepEqual(picked(state, round, { w1: 2, w2: 1, w3: 1 }), [[0, 1], [2], [3]]);
  t.deepEqual(round.left(), [4]);
  t.deepEqual(
    [0, 3, 4].map((index) => itemAt(state, index).lock),
    ['claiming', 'claiming', null],
  );
});

test('C7: suspects for which one worker has no room go to the next, before what nobody has looked at', (t) => {
  const state = handedBack(1, 1, 1, 0, 1, 0);
  const round = new Picking(state);
  // The square root of four: two suspects each.
  t.deepEqual(picked(state, round, { w1: 3, w2: 1 }), [[0, 1, 3], [2]]);
  t.deepEqual(round.left(), [4, 5]);
  t.deepEqual(picked(state, round, { w3: 4 }), [[4, 5]]);
});

test('what is busy stays in its place, what runs alone is set aside, and what is no more is dropped', (t) => {
  const state = handedBack(0, 2, 0, 2, 0);
  lockItem(itemAt(state, 0), 'recording');
  lockItem(itemAt(state, 3), 'recording');
  dropItem(state, itemAt(state, 2));
  const round = new Picking(state);
  t.deepEqual(picked(state, round, { w1: 9, w2: 9 }), [[4], []]);
  t.deepEqual([round.left(), round.alone()], [[0, 3], [1]]);
});
