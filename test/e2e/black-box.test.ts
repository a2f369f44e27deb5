import test from 'ava';
import { blackBox } from '../support/black-box.ts';
import { testSeeds } from '../support/seed.ts';

const SEEDS = testSeeds(20);
/** Their processes mostly wait, so two cores carry as many. */
const SIDE_BY_SIDE = 3;

for (let at = 0; at < SEEDS.length; at += SIDE_BY_SIDE) {
  const seeds = SEEDS.slice(at, at + SIDE_BY_SIDE);
  test.serial(`servers that answer by chance, and kills at random: each line has one result, seeds ${seeds.join(', ')}`, async (t) => {
    t.timeout(300_000);
    const ends = await Promise.all(seeds.map((seed) => blackBox(t, seed)));
    for (const { story } of ends) t.log(story);
    t.true(
      ends.every(({ kills }) => kills > 0),
      'each seed kills something',
    );
    t.deepEqual(
      ends.flatMap(({ violations }) => violations),
      [],
    );
  });
}
