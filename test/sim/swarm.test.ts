import process from 'node:process';
import test from 'ava';
import { Coverage } from './coverage.ts';
import { missing } from './must-happen.ts';
import { commandFor } from './plan-words.ts';
import { runSeed, TWICE_EVERY } from './run-seed.ts';
import { planOf } from './swarm.ts';

/** Two minutes of a core; everything that has to occur does in the first half of them. `make sim` runs more. */
const SEEDS = 2_000;

const seen = new Coverage();

test.serial(`coordinators and workers among faults keep every rule, and each ${TWICE_EVERY}th seed gives its world twice`, async (t) => {
  t.timeout(3_600_000);
  const started = process.cpuUsage();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { failure, coverage, plan } = await runSeed(planOf(seed));
    seen.add(coverage);
    t.is(failure, null, `seed ${seed}: ${failure?.rule}: ${failure?.message}; ${commandFor(plan)}`);
  }
  const { user, system } = process.cpuUsage(started);
  process.stderr.write(`${SEEDS} seeds in ${Math.round((user + system) / 1e6)} s of CPU\n`);
});

test.serial('every fault and everything that has to be lived through has occurred in these seeds', (t) => {
  t.deepEqual(missing(seen), []);
});
