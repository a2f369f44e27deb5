import test from 'ava';
import { inTime } from '../../../runtime/base/in-time.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';

const LIMIT_MS = 1_000;

test('work that ends before its limit is in time, and leaves no timer behind', async (t) => {
  const clock = new ManualClock();
  const isInTime = inTime(clock, LIMIT_MS, clock.sleep(LIMIT_MS - 1));
  await clock.advance(LIMIT_MS - 1);
  t.true(await isInTime);
  await settlePromises();
  t.false(clock.runNext());
});

test('work that goes on beyond its limit is not waited for, and may fail later', async (t) => {
  const clock = new ManualClock();
  let fail: (cause: Error) => void = () => undefined;
  const work = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const isInTime = inTime(clock, LIMIT_MS, work);
  await clock.advance(LIMIT_MS);
  t.false(await isInTime);
  fail(new Error('too late'));
  await settlePromises();
});

test('a failure in time is thrown', async (t) => {
  const clock = new ManualClock();
  await t.throwsAsync(inTime(clock, LIMIT_MS, Promise.reject(new Error('the work failed'))), { message: 'the work failed' });
});
