import process from 'node:process';
import test from 'ava';
import { Coverage } from './coverage.ts';
import { ENOUGH_SEEDS, missing } from './must-happen.ts';
import { commandFor } from './plan-words.ts';
import { runSeed, TWICE_EVERY } from './run-seed.ts';
import { planOf } from './swarm.ts';

/** `make sim` runs more. Where something that has to occur has not yet, up to ENOUGH_SEEDS are run. */
const LEAST_SEEDS = 1_000;
/** On a machine that carries more seeds in this time, more are run. */
const BUDGET_MS = 180_000;

const seen = new Coverage();

test.serial(`coordinators and workers among faults keep every rule, and each ${TWICE_EVERY}th seed gives its world twice`, async (t) => {
  t.timeout(3_600_000);
  const startMs = performance.now();
  let seed = 0;
  while (seed < LEAST_SEEDS || performance.now() - startMs < BUDGET_MS || (seed < ENOUGH_SEEDS && missing(seen).length > 0)) {
    seed += 1;
    const { failure, coverage, plan } = await runSeed(planOf(seed));
    seen.add(coverage);
    t.is(failure, null, `seed ${seed}: ${failure?.rule}: ${failure?.message}; ${commandFor(plan)}`);
  }
  process.stderr.write(`${seed} seeds in ${Math.round((performance.now() - startMs) / 1_000)} s\n`);
});

test.serial('every fault and everything that has to be lived through has occurred in these seeds', (t) => {
  t.deepEqual(missing(seen), []);
});
