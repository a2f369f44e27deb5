import test from 'ava';
import { onStore, reasonToEnd } from '../../../../runtime/cli/run/store-outage.ts';

test('an outage lasts from its first word on, whichever coordinator tells of it, until one can use the store', (t) => {
  const first = onStore(null, 1_000, 'redis://h: ECONNREFUSED');
  const next = onStore(first, 61_000, 'redis://h: LOADING');
  t.deepEqual(next, { sinceMs: 1_000, trouble: 'redis://h: LOADING' });
  t.is(onStore(next, 62_000, null), null);
  t.is(onStore(null, 62_000, null), null);
});

test('a run ends once its store has been of no use for as long as it may, with the last trouble, and no sooner', (t) => {
  const outage = onStore(null, 1_000, 'redis://h: ECONNREFUSED');
  t.is(reasonToEnd(outage, 60_999, 60_000), null);
  t.is(reasonToEnd(outage, 61_000, 60_000), 'the store could not be used for 1m (--redis-wait): redis://h: ECONNREFUSED');
  t.is(reasonToEnd(null, 10 ** 9, 60_000), null);
});
