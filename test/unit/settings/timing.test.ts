import test from 'ava';
import * as z from 'zod';
import { shapeOf } from '../../../runtime/settings/schema.ts';
import { TIMING, timingOf } from '../../../runtime/settings/timing.ts';
import { DEFAULT_TIMING } from '../../support/default-timing.ts';

const schema = z.strictObject(shapeOf(TIMING));

test('a file that says nothing about times has the default ones', (t) => {
  t.deepEqual(timingOf(schema.parse({}), null), DEFAULT_TIMING);
});

test('the lease is renewed in a third of its time to live, unless the file says otherwise', (t) => {
  const read = schema.parse({ timing: { coordinatorFailureTimeout: '9s' } });
  t.like(timingOf(read, null), { coordinatorFailureTimeoutMs: 9_000, leaseRenewIntervalMs: 3_000 });
  t.is(timingOf(read, 7).leaseRenewIntervalMs, 7);
});
