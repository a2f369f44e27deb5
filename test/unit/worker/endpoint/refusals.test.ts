import test from 'ava';
import { REFUSAL_ROW, type Refusals, whoIsRefused } from '../../../../runtime/worker/endpoint/refusals.ts';

const NEW: Refusals = { hasAnswered: false, refusals: 1, refusesSingly: false };
const ANSWERED: Refusals = { ...NEW, hasAnswered: true };
const LONG: Refusals = { ...ANSWERED, refusals: REFUSAL_ROW };

test('W13: before any result nobody knows whom a refusal is meant for', (t) => {
  t.is(whoIsRefused(NEW, false), 'unclear');
  t.is(whoIsRefused({ ...NEW, refusals: REFUSAL_ROW }, false), 'unclear');
});

test('W13: after a result it is meant for one item, until there are many in a row', (t) => {
  t.is(whoIsRefused(ANSWERED, false), 'single');
  t.is(whoIsRefused({ ...LONG, refusals: REFUSAL_ROW - 1 }, false), 'single');
  t.is(whoIsRefused(LONG, false), 'everybody');
});

test('W13: of an endpoint that is known to refuse single items a long row shows nothing', (t) => {
  t.is(whoIsRefused({ ...LONG, refusesSingly: true }, false), 'unclear');
});

test('W13: a quota that is used up is meant for everybody at once', (t) => {
  for (const refusals of [NEW, ANSWERED, LONG]) t.is(whoIsRefused(refusals, true), 'everybody');
});
