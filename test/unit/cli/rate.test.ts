import test from 'ava';
import { durationText, etaSeconds, onSettled, startRate } from '../../../runtime/cli/rate.ts';

test('the rate of the first interval is its own, later ones are smoothed', (t) => {
  const first = onSettled(startRate(0, 100), 1_000, 150);
  t.is(first.perSecond, 50);
  const second = onSettled(first, 2_000, 150);
  t.true(second.perSecond !== null && second.perSecond > 45 && second.perSecond < 50);
});

test('what was settled before the start does not count, and a count that falls is no negative rate', (t) => {
  t.is(onSettled(startRate(0, 1_000_000), 1_000, 1_000_010).perSecond, 10);
  t.is(onSettled(startRate(0, 10), 1_000, 0).perSecond, 0);
});

test('the remaining time is unknown without a rate and zero when nothing is left', (t) => {
  t.is(etaSeconds(startRate(0, 0), 10), null);
  t.is(etaSeconds({ atMs: 0, settled: 0, perSecond: 5 }, 10), 2);
  t.is(etaSeconds({ atMs: 0, settled: 0, perSecond: 0 }, 10), null);
  t.is(etaSeconds(startRate(0, 0), 0), 0);
});

test('durations read in at most two units', (t) => {
  t.is(durationText(9.4), '9 s');
  t.is(durationText(61), '1 min 1 s');
  t.is(durationText(7_260), '2 h 1 min');
});
