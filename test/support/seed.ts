import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { type Random, seededRandom } from '../../runtime/base/random.ts';

/** Chance that can be repeated: the seed is printed, and ROLLOUT_TEST_SEED sets it. */
export function testRandom(t: ExecutionContext): Random {
  const given = process.env['ROLLOUT_TEST_SEED'];
  const seed = given === undefined ? randomBytes(4).readUInt32BE(0) : Number(given);
  t.log(`ROLLOUT_TEST_SEED=${seed}`);
  return seededRandom(seed);
}

/** The seeds from 1 on, or the one that ROLLOUT_TEST_SEED sets. */
export function testSeeds(count: number): readonly number[] {
  const given = process.env['ROLLOUT_TEST_SEED'];
  return given === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(given)];
}

export function oneOf<T>(random: Random, all: readonly [T, ...T[]]): T {
  return all[between(random, 0, all.length - 1)] ?? all[0];
}

/** A whole number, `from` and `to` included. */
export function between(random: Random, from: number, to: number): number {
  return from + Math.floor(random.next() * (to - from + 1));
}
