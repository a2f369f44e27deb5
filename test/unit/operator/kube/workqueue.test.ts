import test from 'ava';
import { DEFAULT_RATE_LIMITS } from '../../../../operator/kube/rate-limit.ts';
import { type QueueObserver, WorkQueue } from '../../../../operator/kube/workqueue.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

interface Counts {
  added: number;
  retried: number;
  readonly waitedMs: number[];
  readonly workedMs: number[];
}

function start(): { readonly queue: WorkQueue; readonly clock: ManualClock; readonly counts: Counts } {
  const clock = new ManualClock();
  const counts: Counts = { added: 0, retried: 0, waitedMs: [], workedMs: [] };
  const observer: QueueObserver = {
    onAdd: () => {
      counts.added += 1;
    },
    onRetry: () => {
      counts.retried += 1;
    },
    onTake: (ms) => counts.waitedMs.push(ms),
    onDone: (ms) => counts.workedMs.push(ms),
  };
  return { queue: new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer }), clock, counts };
}

/** What a taker that asks now gets: undefined where it waits. */
async function taken(queue: WorkQueue): Promise<string | null | undefined> {
  let got: string | null | undefined;
  const waiting = queue.take().then((key) => {
    got = key;
  });
  await Promise.race([waiting, settlePromises()]);
  return got;
}

test('keys come in their order, each once', async (t) => {
  const { queue, counts } = start();
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  t.is(queue.depth, 2);
  t.is(counts.added, 2);
  t.deepEqual([await taken(queue), await taken(queue)], ['a', 'b']);
  t.is(queue.depth, 0);
});

test('a taker that waits gets the next key', async (t) => {
  const { queue } = start();
  const first = queue.take();
  const second = queue.take();
  queue.add('a');
  queue.add('b');
  t.deepEqual([await first, await second], ['a', 'b']);
});

test('what is added while a worker has it comes again when that one is done, and no sooner', async (t) => {
  const { queue } = start();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  t.is(queue.depth, 0);
  const next = queue.take();
  let isTaken = false;
  const seen = next.then(() => {
    isTaken = true;
  });
  await settlePromises();
  t.false(isTaken);
  queue.done('a');
  await seen;
  t.is(await next, 'a');
  queue.done('a');
  t.is(await taken(queue), undefined);
});

test('a key that nothing was added to does not come again', async (t) => {
  const { queue } = start();
  queue.add('a');
  await queue.take();
  queue.done('a');
  t.is(queue.depth, 0);
  t.is(await taken(queue), undefined);
});

test('high goes before low, and a key that waits low is raised', async (t) => {
  const { queue, counts } = start();
  for (const key of ['l1', 'l2', 'l3']) queue.add(key, 'low');
  queue.add('h1');
  queue.add('l3', 'high');
  queue.add('h1', 'low');
  t.is(queue.depth, 4);
  t.is(counts.added, 4);
  t.deepEqual([await taken(queue), await taken(queue), await taken(queue), await taken(queue)], ['h1', 'l3', 'l1', 'l2']);
});

test('a key that is added low while a worker has it keeps its place behind the others', async (t) => {
  const { queue } = start();
  queue.add('a');
  await queue.take();
  queue.add('a', 'low');
  queue.add('b');
  queue.done('a');
  t.deepEqual([await taken(queue), await taken(queue)], ['b', 'a']);
});

test('of several times for a key the earliest counts, and it comes once', async (t) => {
  const { queue, clock } = start();
  queue.addAfter('a', 10_000);
  queue.addAfter('a', 1_000);
  queue.addAfter('a', 5_000);
  await clock.advance(999);
  t.is(queue.depth, 0);
  await clock.advance(1);
  t.is(await taken(queue), 'a');
  queue.done('a');
  await clock.advance(60_000);
  t.is(queue.depth, 0);
});

test('a time that has passed is now', (t) => {
  const { queue } = start();
  queue.addAfter('a', 0);
  queue.addAfter('b', -5);
  t.is(queue.depth, 2);
});

test('a key that fails waits longer each time, and at least as long as a server asks', async (t) => {
  const { queue, clock, counts } = start();
  queue.addRateLimited('a');
  await clock.advance(4);
  t.is(queue.depth, 0);
  await clock.advance(1);
  t.is(await taken(queue), 'a');
  queue.done('a');
  queue.addRateLimited('a', 3_000);
  await clock.advance(2_999);
  t.is(queue.depth, 0);
  await clock.advance(1);
  t.is(queue.depth, 1);
  t.is(queue.failures('a'), 2);
  queue.forget('a');
  t.is(queue.failures('a'), 0);
  t.is(counts.retried, 2);
});

test('after the end nothing is handed out or taken in, and who waits is told', async (t) => {
  const { queue, clock } = start();
  const { queue: other } = start();
  const waiting = other.take();
  other.shutDown();
  t.is(await waiting, null);
  queue.add('a');
  queue.addAfter('b', 10);
  queue.shutDown();
  queue.add('c');
  queue.addAfter('d', 10);
  await clock.advance(1_000);
  t.is(await queue.take(), null);
});

test('a key that came while a worker had it is not handed out after the end', async (t) => {
  const { queue } = start();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.shutDown();
  queue.done('a');
  t.is(queue.depth, 0);
  t.is(await queue.take(), null);
});

test('waits and work are measured', async (t) => {
  const { queue, clock, counts } = start();
  queue.add('a');
  await clock.advance(30);
  await queue.take();
  await clock.advance(50);
  t.deepEqual(queue.workingMs(), [50]);
  queue.done('a');
  t.deepEqual(counts.waitedMs, [30]);
  t.deepEqual(counts.workedMs, [50]);
  t.deepEqual(queue.workingMs(), []);
});

test('to be done with a key that nobody has is a bug', (t) => {
  t.throws(() => start().queue.done('a'), { name: 'AssertionFailed' });
});
