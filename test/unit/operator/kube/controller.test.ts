import test from 'ava';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';
import { Controller, type ControllerOptions, type Reconcile } from '../../../../operator/kube/controller.ts';
import type { Outcome } from '../../../../operator/kube/outcome.ts';
import { DEFAULT_RATE_LIMITS } from '../../../../operator/kube/rate-limit.ts';
import { WorkQueue } from '../../../../operator/kube/workqueue.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

interface Stage {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly clock: ManualClock;
  readonly seen: string[];
}

function stage(reconcile: Reconcile, more: Partial<ControllerOptions> = {}): Stage {
  const clock = new ManualClock();
  const seen: string[] = [];
  const nothing = { onAdd: () => undefined, onTake: () => undefined, onDone: () => undefined, onRetry: () => undefined };
  const queue = new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer: nothing });
  const observer = {
    onStart: () => undefined,
    onEnd: (kind: Outcome['kind']) => seen.push(kind),
    onPanic: () => seen.push('panic'),
    onTimeout: () => seen.push('timeout'),
  };
  const controller = new Controller({
    name: 'things',
    queue,
    reconcile,
    workers: 2,
    deadlineMs: 1_000,
    clock,
    log: silentLog,
    observer,
    ...more,
  });
  return { controller, queue, clock, seen };
}

/** A reconcile that ends when the test says so. */
function held(): { readonly reconcile: Reconcile; readonly started: string[]; end(outcome: Outcome): void } {
  const started: string[] = [];
  const ends: ((outcome: Outcome) => void)[] = [];
  return {
    reconcile: (key) => {
      started.push(key);
      return new Promise((resolve) => ends.push(resolve));
    },
    started,
    end: (outcome) => ends.shift()?.(outcome),
  };
}

test('what is done comes no more, and what is to be looked at again comes after its time', async (t) => {
  const keys: string[] = [];
  const { controller, queue, clock } = stage(async (key) => {
    keys.push(key);
    return key === 'ns/again' ? { kind: 'again', afterMs: 5_000 } : { kind: 'done' };
  });
  controller.start();
  queue.add('ns/done');
  queue.add('ns/again');
  await clock.advance(4_999);
  t.deepEqual(keys, ['ns/done', 'ns/again']);
  await clock.advance(1);
  t.deepEqual(keys, ['ns/done', 'ns/again', 'ns/again']);
});

test('what fails comes again, later each time, until it succeeds', async (t) => {
  const atMs: number[] = [];
  let fails = 3;
  const { controller, queue, clock, seen } = stage(async () => {
    atMs.push(clock.monotonicMs() - 1_000);
    fails -= 1;
    return fails < 0 ? { kind: 'done' } : { kind: 'retry', error: new NoAnswer('reset') };
  });
  controller.start();
  queue.add('ns/a');
  await clock.advance(60_000);
  t.deepEqual(atMs, [0, 5, 15, 35]);
  t.deepEqual(seen, ['retry', 'retry', 'retry', 'done']);
  t.is(queue.failures('ns/a'), 0);
});

test('what is given up comes only when it is added again', async (t) => {
  let calls = 0;
  const { controller, queue, clock } = stage(async () => {
    calls += 1;
    return { kind: 'giveUp', error: new Error('its spec makes no sense') };
  });
  controller.start();
  queue.add('ns/a');
  await clock.advance(3_600_000);
  t.is(calls, 1);
  queue.add('ns/a');
  await clock.advance(1);
  t.is(calls, 2);
});

test('what is thrown is tried again; a refusal of the API server is no bug, and its wait is kept', async (t) => {
  const atMs: number[] = [];
  const errors = [new ApiError(429, 'slow down', { retryAfterMs: 9_000 }), new TypeError('a bug')];
  const { controller, queue, clock, seen } = stage(async () => {
    atMs.push(clock.monotonicMs() - 1_000);
    const error = errors.shift();
    if (error !== undefined) throw error;
    return { kind: 'done' };
  });
  controller.start();
  queue.add('ns/a');
  await clock.advance(60_000);
  t.deepEqual(atMs, [0, 9_000, 9_010]);
  t.deepEqual(seen, ['retry', 'panic', 'retry', 'done']);
});

test('as many keys at a time as there are workers, and none of them twice', async (t) => {
  const { reconcile, started, end } = held();
  const { controller, queue } = stage(reconcile);
  controller.start();
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await settlePromises();
  queue.add('a');
  await settlePromises();
  t.deepEqual(started, ['a', 'b']);
  end({ kind: 'done' });
  await settlePromises();
  t.deepEqual(started, ['a', 'b', 'c']);
  end({ kind: 'done' });
  await settlePromises();
  t.deepEqual(started, ['a', 'b', 'c', 'a']);
});

test('a call beyond its deadline is told so, and keeps its key until it ends', async (t) => {
  let isTold = false;
  let end: (outcome: Outcome) => void = () => undefined;
  let calls = 0;
  const { controller, queue, clock, seen } = stage((_, { signal }) => {
    calls += 1;
    signal.addEventListener('abort', () => {
      isTold = true;
    });
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  controller.start();
  queue.add('a');
  await clock.advance(999);
  t.false(isTold);
  await clock.advance(1);
  t.true(isTold);
  queue.add('a');
  await clock.advance(60_000);
  t.is(calls, 1);
  end({ kind: 'done' });
  await settlePromises();
  t.is(calls, 2);
  t.deepEqual(seen, ['timeout', 'done']);
});

test('at the end what is under way is waited for, and nothing else is begun', async (t) => {
  const { reconcile, started, end } = held();
  const { controller, queue } = stage(reconcile, { workers: 1 });
  controller.start();
  queue.add('a');
  queue.add('b');
  await settlePromises();
  const stopped = controller.stop(30_000);
  await settlePromises();
  end({ kind: 'done' });
  t.true(await stopped);
  t.deepEqual(started, ['a']);
});

test('what does not end within the grace is asked to, and not waited for', async (t) => {
  let isTold = false;
  const { controller, queue, clock } = stage(
    (_, { signal }) => {
      signal.addEventListener('abort', () => {
        isTold = true;
      });
      return new Promise(() => undefined);
    },
    { deadlineMs: 3_600_000 },
  );
  controller.start();
  queue.add('a');
  await settlePromises();
  const stopped = controller.stop(30_000);
  await clock.advance(29_999);
  t.false(isTold);
  await clock.advance(1);
  t.false(await stopped);
  t.true(isTold);
});

test('a controller that never started is stopped at once', async (t) => {
  t.true(await stage(async () => ({ kind: 'done' })).controller.stop(1_000));
});
