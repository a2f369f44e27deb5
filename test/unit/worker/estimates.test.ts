import test from 'ava';
import { expectedRestMs, noEstimates, observe } from '../../../runtime/worker/estimates.ts';

function seen(...durations: readonly number[]): ReturnType<typeof noEstimates> {
  const estimates = noEstimates();
  for (const one of durations) observe(estimates, one);
  return estimates;
}

test('with nothing seen nothing is expected', (t) => {
  t.is(expectedRestMs(noEstimates(), 0), null);
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

test('old durations are forgotten', (t) => {
  const estimates = seen(...Array.from({ length: 128 }, () => 9_000), ...Array.from({ length: 128 }, () => 10));
  t.is(expectedRestMs(estimates, 0), 10);
  t.is(estimates.ms.length, 128);
});
