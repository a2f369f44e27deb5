import test from 'ava';
import { microTime } from '../../../../operator/kube/micro-time.ts';

test('times have six digits behind the second', (t) => {
  t.is(microTime(0), '1970-01-01T00:00:00.000000Z');
  t.is(microTime(1_795_977_790_123), '2026-11-29T18:43:10.123000Z');
});
