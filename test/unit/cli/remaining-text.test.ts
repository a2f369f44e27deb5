import test from 'ava';
import { remainingText } from '../../../runtime/cli/remaining-text.ts';

test('how many lines are for another run, and how many would fail again', (t) => {
  t.deepEqual(remainingText({ lines: 3, notItems: 0 }, 'batch'), ['3 lines for another run']);
  t.deepEqual(remainingText({ lines: 1, notItems: 1 }, 'batch'), [
    '1 line for another run',
    '1 line left out: no item, it would fail again',
  ]);
  t.deepEqual(remainingText({ lines: 0, notItems: 2 }, 'batch'), [
    '0 lines for another run',
    '2 lines left out: no items, they would fail again',
  ]);
});

test('of a raw list it is said that its ids change', (t) => {
  t.regex(remainingText({ lines: 2, notItems: 0 }, 'raw')[1] ?? '', /custom_ids are the numbers of their lines/);
  t.is(remainingText({ lines: 0, notItems: 0 }, 'raw').length, 1);
});
