import test from 'ava';
import { nextRate, type RateSample } from '../../../../operator/rollout/rate.ts';

function ratesOf(samples: readonly (readonly [atMs: number, terminal: number])[]): readonly (number | null)[] {
  let sample: RateSample | null = null;
  return samples.map(([atMs, terminal]) => {
    sample = nextRate(sample, terminal, atMs);
    return sample.perSecond;
  });
}

test('the rate is known from the second answer on, and follows a change within a minute', (t) => {
  t.deepEqual(
    ratesOf([
      [0, 0],
      [2_000, 20],
    ]),
    [null, 10],
  );
  const steady = Array.from({ length: 60 }, (_, at) => [2_000 * at, at < 30 ? 20 * at : 580] as const);
  const rates = ratesOf(steady);
  t.is(rates[29], 10);
  t.true((rates[59] ?? 10) < 2);
});

test('answers that come together, and a count that has fallen, make no rate', (t) => {
  t.deepEqual(
    ratesOf([
      [0, 0],
      [100, 50],
    ]),
    [null, null],
  );
  t.deepEqual(
    ratesOf([
      [0, 100],
      [2_000, 50],
      [4_000, 60],
    ]),
    [null, null, 5],
  );
});
