import test from 'ava';
import { Waiters } from '../../../runtime/rpc/waiters.ts';

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'));
  });

test('a waiting call ends when its caller leaves, and only that one', async (t) => {
  const waiters = new Waiters();
  const leave: (() => void)[] = [];
  const first = waiters.during((gone) => leave.push(gone), untilAborted);
  let isSecondDone = false;
  const second = waiters
    .during((gone) => leave.push(gone), untilAborted)
    .then(() => {
      isSecondDone = true;
    });
  leave[0]?.();
  t.is(await first, 'aborted');
  t.false(isSecondDone);
  waiters.stop();
  await second;
  t.true(isSecondDone);
});

test('a call that comes after the stop does not wait', async (t) => {
  const waiters = new Waiters();
  waiters.stop();
  t.is(await waiters.during(() => undefined, untilAborted), 'aborted');
});

test('a failure of what was waited for is passed on', async (t) => {
  await t.throwsAsync(
    new Waiters().during(
      () => undefined,
      () => Promise.reject(new Error('broken')),
    ),
    { message: 'broken' },
  );
});
