import test from 'ava';
import { addDuration, type Durations, expectedRestMs, medianMs, noDurations } from '../../../runtime/model/durations.ts';

function seen(...all: readonly number[]): Durations {
  const durations = noDurations();
  for (const ms of all) addDuration(durations, ms);
  return durations;
}

test('the median of what was seen; null before anything was', (t) => {
  t.is(medianMs(noDurations()), null);
  t.is(medianMs(seen(30, 10, 20)), 20);
});

test('with nothing seen nothing is expected', (t) => {
  t.is(expectedRestMs(noDurations(), 0), null);
});

test('the rest is what the median of the longer ones leaves', (t) => {
  t.is(expectedRestMs(seen(100, 300, 200), 0), 200);
  t.is(expectedRestMs(seen(100, 300, 200), 50), 150);
  t.is(expectedRestMs(seen(100, 300, 200), 150), 50, 'of 200 and 300 the shorter: hope costs little');
  t.is(expectedRestMs(seen(100, 300, 200), 250), 50);
});

test('one that has run longer than all that were seen is like none of them', (t) => {
  t.is(expectedRestMs(seen(100, 200), 200), null);
});

test('old durations make room for new ones, so that the memory is bounded and the median follows', (t) => {
  const durations = seen(...Array.from({ length: 128 }, () => 9_000), ...Array.from({ length: 128 }, () => 10));
  t.is(durations.ms.length, 128);
  t.deepEqual([medianMs(durations), expectedRestMs(durations, 0)], [10, 10]);
});
