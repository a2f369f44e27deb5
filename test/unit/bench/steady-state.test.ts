import test from 'ava';
import { busyShare, type Sample } from '../../../bench/steady-state.ts';

const LOAD = { slots: 10, items: 1_000, meanMs: 100, rampMs: 500 };

/** `perMs` items end each millisecond from `fromMs` on; looked at each 100 ms. */
function samples(perMs: number, fromMs = 0): readonly Sample[] {
  return Array.from({ length: 200 }, (_, n) => {
    return { ms: n * 100, done: Math.min(LOAD.items, Math.max(0, Math.floor((n * 100 - fromMs) * perMs))) };
  });
}

test('ten slots that end an item each 100 ms are all busy, and with half as many items half of them', (t) => {
  t.is(busyShare(samples(0.1), LOAD), 1);
  t.is(busyShare(samples(0.05), LOAD), 0.5);
  t.is(busyShare(samples(0.1, 4_000), LOAD), 1, 'the time before the first item does not count');
});

test('the ramp and the end of the list do not count', (t) => {
  const slowBegin = samples(0.1).map(({ ms, done }) => ({ ms, done: ms < 500 ? Math.min(done, 1) : done }));
  t.is(busyShare(slowBegin, LOAD), 1);
  const slowEnd = samples(0.1).map(({ ms, done }) => ({ ms, done: Math.min(done, 980 + Math.max(0, (ms - 9_800) / 1_000)) }));
  t.is(busyShare(slowEnd, LOAD), 1);
});

test('a run that was over before its ramp has no share', (t) => {
  t.is(busyShare(samples(10), LOAD), null);
  t.is(busyShare([], LOAD), null);
});
