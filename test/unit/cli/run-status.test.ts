import test from 'ava';
import { openItems, settledItems } from '../../../runtime/cli/run-status.ts';

test('settled is done and failed; open is the rest, and never below nothing', (t) => {
  t.is(settledItems({ done: 3, failed: 2 }), 5);
  t.is(openItems({ items: 7, done: 3, failed: 2 }), 2);
  t.is(openItems({ items: 0, done: 3, failed: 2 }), 0);
});
