import test from 'ava';
import { NO_TALLY, plusOutcome, type Tallied, type Tally } from '../../../../runtime/model/tally.ts';
import { findShadows } from '../../../../runtime/results/log/shadows.ts';

const RECORDS: readonly Tallied[] = Array.from({ length: 60 }, (_, index) => ({ index, attempt: 1 + (index % 3) }));

function of(records: readonly Tallied[]): Tally {
  return records.reduce(plusOutcome, NO_TALLY);
}

/** What is found where all but these were accepted. */
function found(never: readonly number[]): readonly number[] | null {
  const accepted = of(RECORDS.filter(({ index }) => !never.includes(index)));
  return findShadows(RECORDS, of(RECORDS), accepted)?.map(({ index }) => index) ?? null;
}

test('L39: the records that a dying coordinator never settled are found at the end, however many', (t) => {
  const last = RECORDS.slice(-30).map(({ index }) => index);
  t.deepEqual(found(last), last);
});

test('L39: a single record that never counted is found anywhere, and several among the last ones', (t) => {
  t.deepEqual(found([3]), [3]);
  t.deepEqual(found([45, 51, 59]), [45, 51, 59]);
});

test('L39: where the tally proves none, none is named', (t) => {
  t.is(found([1, 2, 30]), null);
  t.is(found([]), null);
});
