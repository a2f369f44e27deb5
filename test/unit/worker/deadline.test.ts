import test from 'ava';
import { startDeadline } from '../../../runtime/worker/deadline.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a deadline is over once, when so much time has been counted', async (t) => {
  const clock = new ManualClock();
  let over = 0;
  const deadline = startDeadline(clock, 1_000, () => {
    over += 1;
  });
  await clock.advance(400);
  const waited = deadline.uncounted(clock.sleep(5_000));
  await clock.advance(5_000);
  await waited;
  await clock.advance(599);
  t.is(over, 0);
  await clock.advance(1);
  t.is(over, 1);
  await clock.advance(10_000);
  t.is(over, 1);
});

test('one that was stopped is never over, also where a wait ends later', async (t) => {
  const clock = new ManualClock();
  const deadline = startDeadline(clock, 1_000, () => t.fail());
  const waited = deadline.uncounted(clock.sleep(5_000));
  deadline.stop();
  await clock.advance(5_000);
  await waited;
  await clock.advance(5_000);
  t.pass();
});

test("a wait that fails is over too, and its failure is the caller's", async (t) => {
  const clock = new ManualClock();
  let isOver = false;
  const deadline = startDeadline(clock, 1_000, () => {
    isOver = true;
  });
  await t.throwsAsync(deadline.uncounted(Promise.reject(new Error('gone'))), { message: 'gone' });
  await clock.advance(1_000);
  t.true(isOver);
});
