import test from 'ava';
import { addDuration, medianMs, noDurations } from '../../../runtime/coordinator/durations.ts';

test('the median of what was seen; null before anything was', (t) => {
  const durations = noDurations();
  t.is(medianMs(durations), null);
  for (const ms of [30, 10, 20]) addDuration(durations, ms);
  t.is(medianMs(durations), 20);
});

test('old durations make room for new ones, so that the memory is bounded and the median follows', (t) => {
  const durations = noDurations();
  for (let n = 0; n < 1_000; n += 1) addDuration(durations, n < 500 ? 1 : 9);
  t.is(durations.ms.length, 128);
  t.is(medianMs(durations), 9);
});
