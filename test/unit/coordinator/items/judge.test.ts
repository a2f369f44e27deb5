import test from 'ava';
import { judge, judgeReopened, onReturned } from '../../../../runtime/coordinator/items/judge.ts';
import { takeCommands } from '../../../../runtime/coordinator/state/commands.ts';
import { itemAt, lockItem, unlock } from '../../../../runtime/coordinator/state/items.ts';
import { failureOf, kinds, outcomeOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';

test('L19: an outcome that may settle is handed to the log; the same again meanwhile is not', (t) => {
  const { state } = twoRunning();
  judge(state, 'w1', outcomeOf(ref(0)));
  judge(state, 'w1', outcomeOf(ref(0)));
  t.deepEqual(kinds(takeCommands(state)), ['record']);
});

test('L29: an outcome of another worker, attempt, epoch or item is asked of the ledger', (t) => {
  const { state } = twoRunning();
  judge(state, 'w2', outcomeOf(ref(0)));
  judge(state, 'w1', outcomeOf(ref(0, 2)));
  judge(state, 'w1', outcomeOf(ref(0, 1, 2)));
  judge(state, 'w1', outcomeOf(ref(50)));
  t.deepEqual(kinds(takeCommands(state)), ['look', 'look', 'look', 'look']);
});

test('what arrives while its row is being handed back waits once, and is judged when the lock opens', (t) => {
  const { state } = twoRunning();
  const item = itemAt(state, 0);
  judge(state, 'w1', failureOf(ref(0)));
  t.deepEqual(kinds(takeCommands(state)), ['hand-back']);
  judge(state, 'w1', outcomeOf(ref(0)));
  judge(state, 'w1', outcomeOf(ref(0)));
  t.is(item.waiting.length, 1);
  unlock(state, item);
  judgeReopened(state);
  t.deepEqual(kinds(takeCommands(state)), ['record']);
});

test('what waits is judged after the fact that opened its lock, in the order in which the locks opened', (t) => {
  const { state } = twoRunning();
  for (const index of [0, 1]) {
    lockItem(itemAt(state, index), 'returning');
    judge(state, 'w1', outcomeOf(ref(index)));
  }
  unlock(state, itemAt(state, 1));
  unlock(state, itemAt(state, 0));
  t.deepEqual(takeCommands(state), [], 'not while the fact is being taken in');
  judgeReopened(state);
  t.deepEqual(
    takeCommands(state).flatMap((one) => (one.kind === 'record' ? one.recordings.map(({ outcome }) => outcome.index) : [])),
    [1, 0],
  );
});

test('what waits for an item that is locked again by the same fact goes on waiting', (t) => {
  const { state } = twoRunning();
  const item = itemAt(state, 0);
  lockItem(item, 'returning');
  judge(state, 'w1', outcomeOf(ref(0)));
  unlock(state, item);
  lockItem(item, 'moving');
  judgeReopened(state);
  t.deepEqual([takeCommands(state), item.waiting.length], [[], 1]);
});

test('the failure that uses up the attempts is recorded, those before go back', (t) => {
  const { state } = twoRunning({
    running: [
      { index: 0, row: rowFor('w1'), failures: 3 },
      { index: 1, row: rowFor('w1'), failures: 4 },
    ],
  });
  judge(state, 'w1', failureOf(ref(0)));
  judge(state, 'w1', failureOf(ref(1)));
  t.deepEqual(kinds(takeCommands(state)), ['hand-back', 'record']);
});

test('a return of a row that runs goes back with its reason; any other is only acknowledged', (t) => {
  const { state } = twoRunning();
  onReturned(state, 'w1', { ...ref(0), reason: 'drained', delayMs: 0, detail: '' });
  onReturned(state, 'w1', { ...ref(1, 9), reason: 'drained', delayMs: 0, detail: '' });
  t.like(takeCommands(state), [{ kind: 'hand-back', returns: [{ index: 0, reason: 'drained' }] }]);
  t.deepEqual(state.workers.get('w1')?.acknowledged, [ref(1, 9)]);
});

test('L29: an outcome of the row that was taken last waits while the coordinator records its item as poison', (t) => {
  const { state } = twoRunning({ handedBack: [{ index: 5, row: rowFor('w1') }] });
  const item = itemAt(state, 5);
  lockItem(item, 'recording');
  judge(state, 'w1', outcomeOf(ref(5)));
  t.is(item.waiting.length, 1, 'nobody else will tell its worker that the item is recorded');
});
