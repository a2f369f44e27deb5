import test from 'ava';
import { onKnownGoodFailed, REFUSAL_ROW, type Refusals, whoIsRefused } from '../../../../runtime/worker/endpoint/refusals.ts';

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

/** The tries after so many refusals, all confirmed like this. */
function triesAfter(refusals: number, isRefusing: boolean): number {
  const outage = { sinceMs: 0, tries: 0, detail: '', isRefusing: false };
  const endpoint: Parameters<typeof onKnownGoodFailed>[0] = { ...NEW, refusals: 0, failures: 0, busy: null, breaker: { kind: 'closed' } };
  for (let n = 0; n < refusals; n++) {
    endpoint.refusals += 1;
    const before = endpoint.breaker.kind === 'closed' ? outage : endpoint.breaker.outage;
    endpoint.breaker = { kind: 'confirming', isRefusal: true, outage: before };
    onKnownGoodFailed(endpoint, 'http_401', isRefusing);
  }
  return endpoint.breaker.kind === 'closed' ? 0 : endpoint.breaker.outage.tries;
}

test('W13: an endpoint that refuses everybody is tried again soon until the run can pause for it, and then with growing gaps', (t) => {
  t.is(triesAfter(2, true), 2);
  t.is(triesAfter(2 * REFUSAL_ROW - 1, true), 3);
  t.is(triesAfter(2 * REFUSAL_ROW + 5, true), 9);
  t.is(triesAfter(10, false), 10, 'one that is away is not');
});
