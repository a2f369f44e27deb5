import test from 'ava';
import { takeTwiceGiven } from '../../../../runtime/coordinator/items/given-twice.ts';
import { takeCommands } from '../../../../runtime/coordinator/state/commands.ts';
import { itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import { ofKind, outcomeOf, ref, twoRunning } from '../../../support/machine.ts';

test('L40: an attempt that was given again goes back where its worker hands over an outcome of the first', (t) => {
  const machine = twoRunning();
  const stale = outcomeOf(ref(0, 1, 2));
  const told = machine.tell({ kind: 'looked', worker: 'w1', outcomes: [stale], verdicts: ['stale'] });
  const [handBack] = ofKind(told, 'hand-back');
  t.like(handBack?.returns, [{ index: 0, reason: 'lost', row: { worker: 'w1', attempt: 1 } }]);
});

test('L40: or where it returns the first', (t) => {
  const machine = twoRunning();
  const commands = machine.poll('w1', { returns: [{ ...ref(0, 1, 2), reason: 'recalled', delayMs: 0, detail: '' }] });
  t.like(ofKind(commands, 'hand-back')[0]?.returns, [{ index: 0, reason: 'lost' }]);
});

test('another attempt, another worker, and what is being changed already, stay', (t) => {
  const { state } = twoRunning();
  takeTwiceGiven(state, 'w1', ref(0, 2, 2));
  takeTwiceGiven(state, 'w2', ref(0, 1, 2));
  takeTwiceGiven(state, 'w1', ref(0));
  takeTwiceGiven(state, 'w1', ref(50));
  lockItem(itemAt(state, 1), 'returning');
  takeTwiceGiven(state, 'w1', ref(1, 1, 2));
  t.deepEqual(ofKind(takeCommands(state), 'hand-back'), []);
});
