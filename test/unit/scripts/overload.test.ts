import test from 'ava';
import { isOverloaded, MOST_PER_CORE } from '../../../scripts/overload.ts';

test('a machine is overloaded where each core has more than four processes to run', (t) => {
  t.false(isOverloaded(0, 1));
  t.false(isOverloaded(2 * MOST_PER_CORE, 2));
  t.true(isOverloaded(2 * MOST_PER_CORE + 0.1, 2));
  t.false(isOverloaded(2 * MOST_PER_CORE + 0.1, 64));
});
