import test from 'ava';
import { seededRandom, systemRandom } from '../../../runtime/base/random.ts';

const firstOf = (seed: number): readonly number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: 1_000 }, () => random.next());
};

test('the same seed gives the same chance, another seed another', (t) => {
  t.deepEqual(firstOf(7), firstOf(7));
  t.notDeepEqual(firstOf(7), firstOf(8));
});

test('seeded chance lies in [0, 1) and around the middle', (t) => {
  const values = firstOf(1);
  t.true(values.every((value) => value >= 0 && value < 1));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  t.true(Math.abs(mean - 0.5) < 0.05, `the mean is ${mean}`);
});

test('hex gives two digits a byte, from a seed and from the system', (t) => {
  t.regex(seededRandom(1).hex(8), /^[0-9a-f]{16}$/);
  t.regex(systemRandom.hex(16), /^[0-9a-f]{32}$/);
  t.not(systemRandom.hex(16), systemRandom.hex(16));
});
