import test from 'ava';
import { MAX_DELAY_MS, statedDelayMs } from '../../../runtime/worker/stated-delay.ts';

test('a date is compared with the Date of the same answer, whatever the clock here says', (t) => {
  const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
  t.is(statedDelayMs({ date, 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 7_000);
  t.is(statedDelayMs({ date, 'retry-after': 'Mon, 31 Dec 2029 23:00:00 GMT' }), 0);
  t.is(statedDelayMs({ 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 0, 'without a Date it says nothing');
});

test('seconds and milliseconds are bounded, and what is no number says nothing', (t) => {
  t.is(statedDelayMs({ 'retry-after': '2' }), 2_000);
  t.is(statedDelayMs({ 'retry-after-ms': '150', 'retry-after': '9' }), 150);
  t.is(statedDelayMs({ 'retry-after': 'soon' }), 0);
  t.is(statedDelayMs({ 'retry-after': '1e9' }), MAX_DELAY_MS);
  t.is(statedDelayMs({ 'retry-after': '-3' }), 0);
  t.is(statedDelayMs({}), 0);
});
