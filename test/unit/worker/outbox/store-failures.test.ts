import test from 'ava';
import { nextTurn, systemClock } from '../../../../runtime/base/clock.ts';
import { filesIn, indexes, openedAgain, systemFailure, watchedDisk } from '../../../support/outbox-store.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { outcome } from '../../../support/worker-state.ts';

for (const at of ['write', 'sync', 'create'] as const) {
  test(`a disk that is full at ${at} is waited for; what was written in part is cut off, and what was stored before stays`, async (t) => {
    const dir = temporaryDir(t);
    let fullFor = 0;
    let waits = 0;
    const fail = async (call: string): Promise<void> => {
      if (!call.startsWith(at) || fullFor === 0) return;
      fullFor -= 1;
      throw systemFailure('ENOSPC');
    };
    const waitForDiskSpace = async (): Promise<boolean> => {
      waits += 1;
      return true;
    };
    const store = await openedAgain(t, dir, { disk: watchedDisk([], fail), waitForDiskSpace });
    if (at !== 'create') await store.put([outcome(1)]);
    fullFor = 3;
    await store.put([outcome(2), outcome(3)]);
    t.is(waits, 3);
    t.deepEqual(indexes((await openedAgain(t, dir)).found), at === 'create' ? [2, 3] : [1, 2, 3]);
    t.is(filesIn(dir).length, 1);
  });
}

test('a disk that shows room and takes nothing is asked again for a while, and then told', async (t) => {
  let sleeps = 0;
  const clock = {
    ...systemClock,
    sleep: async () => {
      sleeps += 1;
    },
  };
  const fail = async (call: string): Promise<void> => {
    if (call.startsWith('write')) throw systemFailure('EDQUOT');
  };
  const store = await openedAgain(t, temporaryDir(t), { disk: watchedDisk([], fail), clock });
  const error = await t.throwsAsync(store.put([outcome(1)]));
  t.like(error, { code: 'STORE_FAILED' });
  t.regex(error?.message ?? '', /cannot be used \(EDQUOT: of the test\): check that the folder is writable and the disk is not full/);
  t.is(sleeps, 30);
});

test('a sync that failed is final: nothing more is written, and the next process takes only what it has synced itself', async (t) => {
  const dir = temporaryDir(t);
  const calls: string[] = [];
  let isBroken = false;
  const fail = async (call: string): Promise<void> => {
    if (isBroken && call.startsWith('sync')) throw systemFailure('EIO');
  };
  const store = await openedAgain(t, dir, { disk: watchedDisk(calls, fail) });
  await store.put([outcome(1)]);
  isBroken = true;
  t.like(await t.throwsAsync(store.put([outcome(2)])), { code: 'STORE_FAILED' });
  isBroken = false;
  const before = calls.length;
  t.like(await t.throwsAsync(store.put([outcome(3)])), { code: 'STORE_FAILED' });
  await t.throwsAsync(store.keepEpoch(4));
  await store.close();
  t.is(calls.length, before);
  t.deepEqual(indexes((await openedAgain(t, dir)).found), [1]);
});

test('what waits for room when the worker leaves is refused, and what was stored stays', async (t) => {
  const dir = temporaryDir(t);
  let isShort = false;
  let isWaiting = false;
  const waitForDiskSpace = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      isWaiting = true;
      signal.addEventListener('abort', () => resolve(true), { once: true });
    });
  const store = await openedAgain(t, dir, { isShort: () => isShort, waitForDiskSpace });
  await store.put([outcome(1)]);
  isShort = true;
  const waiting = t.throwsAsync(store.put([outcome(2)]), { message: /it is closed/ });
  await nextTurn();
  t.true(isWaiting);
  await store.close();
  await waiting;
  t.deepEqual(indexes((await openedAgain(t, dir)).found), [1]);
});
