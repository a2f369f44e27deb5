import test from 'ava';
import { durationText, etaSeconds, onSettled, startRate } from '../../../../runtime/cli/status/rate.ts';

const AT_FIVE = { startedMs: 0, atMs: 0, settled: 0, perSecond: 5 };

test('the rate is the mean at first, and smoothed later', (t) => {
  const first = onSettled(startRate(0, 100), 1_000, 150);
  t.is(first.perSecond, 50);
  t.is(onSettled(first, 2_000, 150).perSecond, 25);
  const later = onSettled({ startedMs: 0, atMs: 600_000, settled: 1_000, perSecond: 50 }, 601_000, 1_000);
  t.true(later.perSecond !== null && later.perSecond > 48 && later.perSecond < 50);
});

test('what was settled before the start does not count, nor the time before the first item', (t) => {
  const waiting = onSettled(startRate(0, 1_000_000), 10_000, 1_000_000);
  t.is(waiting.perSecond, null);
  t.is(onSettled(waiting, 11_000, 1_000_010).perSecond, 10);
});

test('a count that falls is no negative rate', (t) => {
  t.is(onSettled({ ...AT_FIVE, settled: 10 }, 1_000, 0).perSecond, 0);
});

test('the remaining time is unknown without a rate and zero when nothing is left', (t) => {
  t.is(etaSeconds(startRate(0, 0), 10), null);
  t.is(etaSeconds(AT_FIVE, 10), 2);
  t.is(etaSeconds({ ...AT_FIVE, perSecond: 0 }, 10), null);
  t.is(etaSeconds(startRate(0, 0), 0), 0);
});

test('durations read in at most two units', (t) => {
  t.is(durationText(9.4), '9 s');
  t.is(durationText(61), '1 min 1 s');
  t.is(durationText(7_260), '2 h 1 min');
});
