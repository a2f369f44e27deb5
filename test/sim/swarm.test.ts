import test from 'ava';
import { Coverage } from './coverage.ts';
import { missing } from './must-happen.ts';
import { commandFor } from './plan-words.ts';
import { runSeed, TWICE_EVERY } from './run-seed.ts';
import { planOf } from './swarm.ts';

const SEEDS_PER_TEST = 100;
const TESTS = 40;

const seen = new Coverage();

for (let batch = 0; batch < TESTS; batch += 1) {
  const from = batch * SEEDS_PER_TEST + 1;
  const to = from + SEEDS_PER_TEST - 1;
  test.serial(
    `seeds ${from} to ${to}: coordinators and workers among faults keep every rule, and each ${TWICE_EVERY}th seed gives its world twice`,
    async (t) => {
      for (let seed = from; seed <= to; seed += 1) {
        const { failure, coverage, plan } = await runSeed(planOf(seed));
        seen.add(coverage);
        t.is(failure, null, `seed ${seed}: ${failure?.rule}: ${failure?.message}; ${commandFor(plan)}`);
      }
    },
  );
}

test.serial('every fault and everything that has to be lived through has occurred in these seeds', (t) => {
  t.deepEqual(missing(seen), []);
});
