import test from 'ava';
import fc from 'fast-check';
import { fullJitterMs, halfJitterMs } from '../../../runtime/base/backoff.ts';
import type { Random } from '../../../runtime/base/random.ts';

const always = (value: number): Random => ({ next: () => value, hex: () => '' });
const ALMOST_ONE = 1 - 2 ** -48;

test('full jitter doubles with each attempt up to its cap, and may be nothing', (t) => {
  const longest = [0, 1, 2, 3, 4, 5].map((attempt) => Math.round(fullJitterMs(attempt, 100, 1_000, always(ALMOST_ONE))));
  t.deepEqual(longest, [100, 200, 400, 800, 1_000, 1_000]);
  t.is(fullJitterMs(3, 100, 1_000, always(0)), 0);
});

test('half jitter is never less than half of its ceiling', (t) => {
  t.is(halfJitterMs(0, 500, 8_000, always(0)), 250);
  t.is(Math.round(halfJitterMs(0, 500, 8_000, always(ALMOST_ONE))), 500);
  t.is(halfJitterMs(9, 500, 8_000, always(0)), 4_000);
});

test('no attempt number, however large, leads past the cap', (t) => {
  const within = fc.property(fc.nat(), fc.double({ min: 0, max: ALMOST_ONE, noNaN: true }), (attempt, chance) => {
    const random = always(chance);
    return [fullJitterMs(attempt, 100, 1_000, random), halfJitterMs(attempt, 100, 1_000, random)].every((ms) => ms >= 0 && ms <= 1_000);
  });
  t.notThrows(() => fc.assert(within));
});
