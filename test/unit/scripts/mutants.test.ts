import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { MUTANTS } from '../../../scripts/mutants/all.ts';
import { whyNotApplicable } from '../../../scripts/mutants/mutant.ts';

const ROOT = process.cwd();
const RULES = ['PROTOCOL.md', 'runtime/coordinator/SPEC.md', 'runtime/results/SPEC.md', 'runtime/worker/SPEC.md'];

test('every fault that is planted still stands exactly once in the code that it breaks', (t) => {
  t.deepEqual(
    MUTANTS.flatMap((mutant) => whyNotApplicable(ROOT, mutant) ?? []),
    [],
  );
  t.true(MUTANTS.length >= 35, `only ${MUTANTS.length} faults`);
});

test('each changes something, has a name of its own, a rule that PROTOCOL.md or a SPEC.md states, and tests that are there', (t) => {
  const rules = RULES.map((path) => readFileSync(path, 'utf8')).join('\n');
  t.is(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  for (const { name, rule, old, new: planted, tests } of MUTANTS) {
    t.not(old, planted, name);
    t.true(rules.includes(`**${rule}**`), `${name} breaks ${rule}, which no document states`);
    for (const path of tests)
      t.true(existsSync(path.replace(/(?:\/\*\*)?\/\*\.test\.ts$/, '')), `${name} names tests that are not there: ${path}`);
  }
});
