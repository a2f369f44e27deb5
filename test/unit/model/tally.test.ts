import test from 'ava';
import fc from 'fast-check';
import { countOf, isSameTally, minusOutcome, NO_TALLY, plusOutcome, type Tally, tallyOf } from '../../../runtime/model/tally.ts';

const tallied = fc.record({ index: fc.nat(0xffff_fffe), attempt: fc.integer({ min: 1, max: 0xffff_ffff }) });
const several = fc.uniqueArray(tallied, { maxLength: 20, selector: ({ index, attempt }) => `${index}/${attempt}` });

function of(outcomes: readonly { readonly index: number; readonly attempt: number }[]): Tally {
  return outcomes.reduce(plusOutcome, NO_TALLY);
}

test('L39: a tally does not depend on the order, and what is taken out leaves no trace', (t) => {
  fc.assert(
    fc.property(several, tallied, (outcomes, more) => {
      t.deepEqual(of(outcomes.toReversed()), of(outcomes));
      t.deepEqual(minusOutcome(plusOutcome(of(outcomes), more), more), of(outcomes));
    }),
  );
});

test('L39: an outcome in the place of another is told, be it of the next attempt or of the next item', (t) => {
  const seen = new Set<string>();
  for (let index = 0; index < 300; index += 1) {
    for (let attempt = 1; attempt <= 30; attempt += 1) {
      const { low, high } = of([{ index, attempt }]);
      seen.add(`${low}/${high}`);
    }
  }
  t.is(seen.size, 300 * 30);
});

test('an epoch that is not listed accepted nothing', (t) => {
  const tallies = [
    { epoch: 2, count: 3, low: 1, high: 1 },
    { epoch: 4, count: 5, low: 2, high: 2 },
  ];
  t.true(isSameTally(tallyOf(tallies, 3), NO_TALLY));
  t.is(tallyOf(tallies, 4).count, 5);
  t.is(countOf(tallies), 8);
});
