import test from 'ava';
import { itemsToDo, openItems, settledItems } from '../../../runtime/cli/run-status.ts';

test('settled is done and failed; open is the rest, and never below nothing', (t) => {
  t.is(settledItems({ done: 3, failed: 2 }), 5);
  t.is(openItems({ items: 7, done: 3, failed: 2 }), 2);
  t.is(openItems({ items: 0, done: 3, failed: 2 }), 0);
});

test('to do is what is neither settled, nor running, nor waiting for another try', (t) => {
  t.is(itemsToDo({ items: 10, done: 3, failed: 2, running: 2, handedBack: 1 }), 2);
  t.is(itemsToDo({ items: 4, done: 3, failed: 2, running: 2, handedBack: 1 }), 0);
});
