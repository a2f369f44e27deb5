import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { nextTurn, systemClock } from '../../../runtime/base/clock.ts';

test('sleep ends after its time by the monotonic clock', async (t) => {
  const startMs = systemClock.monotonicMs();
  await systemClock.sleep(30);
  t.true(systemClock.monotonicMs() - startMs >= 29);
});

test('sleep ends at once when it is aborted, and does not reject', async (t) => {
  const abort = new AbortController();
  const sleeping = systemClock.sleep(60_000, abort.signal);
  abort.abort();
  await t.notThrowsAsync(sleeping);
  await t.notThrowsAsync(systemClock.sleep(60_000, abort.signal));
});

test('a stopped timer does not run again', async (t) => {
  let runs = 0;
  const every = systemClock.every(5, () => runs++);
  const after = systemClock.after(5, () => {
    runs += 1_000;
  });
  after.stop();
  while (runs === 0) await systemClock.sleep(5);
  every.stop();
  const atStop = runs;
  await systemClock.sleep(40);
  t.is(runs, atStop);
  t.true(runs < 1_000);
});

test('others have their turn before nextTurn goes on', async (t) => {
  const order: string[] = [];
  const other = systemClock.sleep(0).then(() => order.push('other'));
  for (let turn = 0; turn < 1_000 && order.length === 0; turn++) await nextTurn();
  await other;
  t.deepEqual(order, ['other']);
});

test('threads that were started at different times have the same clock', async (t) => {
  for (let round = 0; round < 3; round++) {
    const thread = new Worker(new URL('../../support/clock-thread.ts', import.meta.url));
    const beforeMs = systemClock.monotonicMs();
    thread.postMessage('now');
    const [nowMs] = (await once(thread, 'message')) as [number];
    const afterMs = systemClock.monotonicMs();
    await thread.terminate();
    t.true(nowMs >= beforeMs - 1 && nowMs <= afterMs + 1, `${beforeMs}, ${nowMs}, ${afterMs}`);
  }
});
