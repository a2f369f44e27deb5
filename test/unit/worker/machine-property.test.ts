import test from 'ava';
import fc from 'fast-check';
import { STEPS } from '../../support/worker-state.ts';
import { World } from '../../support/worker-world.ts';

/**
 * Any order of facts, likely ones and absurd ones: the rules L34-L36 hold after each. What is checked is what leaves the machine, by a
 * model that knows nothing of its state: which outcomes are durable, what was handed back, what was ever started.
 */

const steps = fc.array(fc.record({ step: fc.constantFrom(...STEPS), pick: fc.nat({ max: 1_000 }) }), { minLength: 20, maxLength: 120 });

for (const transport of ['poll', 'stream'] as const) {
  test(`L34, L35, L36 hold whatever happens in whatever order, transport ${transport}`, (t) => {
    fc.assert(
      fc.property(steps, (list) => {
        const world = new World(transport);
        for (const { step, pick } of list) world.take(step, pick);
      }),
      { numRuns: 400, includeErrorInReport: true },
    );
    t.pass();
  });
}
