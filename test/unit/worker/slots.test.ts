import test from 'ava';
import { systemClock } from '../../../runtime/base/clock.ts';
import { seededRandom } from '../../../runtime/base/random.ts';
import { contentId } from '../../../runtime/format/content-id.ts';
import type { Backend, Executed, Request, Stop } from '../../../runtime/worker/backends/contract.ts';
import { hidingOf } from '../../../runtime/worker/backends/hiding.ts';
import { createSlots, LET_GO_MS, type Slots } from '../../../runtime/worker/slots.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { assignment, ref } from '../../support/worker-state.ts';

const ANSWER: Executed = { kind: 'answered', url: 'u', status: 200, requestId: 'r', headers: {}, body: Buffer.from('{"a":1}') };

function slotsOn(execute: Backend['execute'], requestTimeoutMs = 5_000): Slots {
  const backend: Backend = {
    endpoints: ['u'],
    hide: hidingOf([]),
    isReady: async () => ({ kind: 'ready' }),
    execute,
    close: () => Promise.resolve(),
  };
  return createSlots({ backend, requestTimeoutMs, clock: systemClock, random: seededRandom(1) });
}

/** Answers only once it is aborted, as a backend on a closed socket does. */
const hang = (_endpoint: number, _: Request, { signal }: Stop): Promise<Executed> =>
  new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve({ kind: 'failed', code: 'connection_reset', message: 'aborted' })),
  );

test('an item is read, executed under its content id and attempt, and becomes an outcome', async (t) => {
  const seen: Request[] = [];
  const slots = slotsOn(async (_endpoint, request) => {
    seen.push(request);
    return ANSWER;
  });
  const ending = await slots.run(assignment(3, 2), 0);
  t.like(ending, { kind: 'outcome', outcome: { ...ref(3, 2), kind: 'result', httpStatus: 200 } });
  const item = {
    customId: 'item-3',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'test-model', messages: [{ role: 'user', content: 'item-3' }] },
  };
  t.like(seen[0], { item, requestId: `${contentId(item)}-2` });
  t.deepEqual(seen[0]?.bytes(), Buffer.from(JSON.stringify(item.body)));
});

test('no whole answer within the request timeout: aborted, and a failure by timeout', async (t) => {
  const ending = await slotsOn(hang, 30).run(assignment(1), 0);
  t.like(ending, { kind: 'failure', outcome: { kind: 'error', code: 'timeout', isRetryable: true }, failure: { isTimeout: true } });
});

test('W15: a backend that does not let go of an item loses the slot after a grace period', async (t) => {
  const clock = new ManualClock();
  const backend: Backend = {
    endpoints: ['http://h:1'],
    hide: hidingOf([]),
    isReady: async () => ({ kind: 'ready' }),
    execute: () => new Promise(() => undefined),
    close: () => Promise.resolve(),
  };
  const slots = createSlots({ backend, requestTimeoutMs: 1_000, clock, random: seededRandom(1) });
  const timedOut = slots.run(assignment(1), 0);
  const stopped = slots.run(assignment(2), 0);
  slots.stop(ref(2));
  await clock.advance(1_000);
  await clock.advance(LET_GO_MS);
  t.like(await timedOut, { kind: 'failure', outcome: { code: 'timeout' }, failure: { isTimeout: true } });
  t.like(await stopped, { kind: 'failure', outcome: { code: 'connection_reset' } });
});

test('what the worker itself makes an answer wait for does not use up the request timeout', async (t) => {
  const clock = new ManualClock();
  const backend: Backend = {
    hide: hidingOf([]),
    endpoints: ['http://h:1'],
    isReady: async () => ({ kind: 'ready' }),
    execute: async (_endpoint, { requestId }, stop) => {
      const { signal } = stop;
      await clock.sleep(900, signal);
      await stop.uncounted?.(clock.sleep(3_600_000, signal));
      await clock.sleep(requestId.endsWith('-2') ? 200 : 50, signal);
      return ANSWER;
    },
    close: () => Promise.resolve(),
  };
  const slots = createSlots({ backend, requestTimeoutMs: 1_000, clock, random: seededRandom(1) });
  const [inTime, late] = [slots.run(assignment(1), 0), slots.run(assignment(2, 2), 0)];
  await clock.advance(900);
  await clock.advance(3_600_000);
  await clock.advance(200);
  t.like(await inTime, { kind: 'outcome', outcome: { kind: 'result' } });
  t.like(await late, { kind: 'failure', outcome: { code: 'timeout' } });
});

test('a backend that asks for its signal only after it was told to stop is told so at once', async (t) => {
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const slots = slotsOn(async (_endpoint, _request, stop) => {
    await asked;
    return { kind: 'failed', code: 'connection_reset', message: stop.signal.aborted ? 'told before' : 'not told' };
  });
  const run = slots.run(assignment(1), 0);
  slots.stop(ref(1));
  ask();
  t.like(await run, { failure: { detail: 'told before' } });
});

test('each execution has its whole time from its own start, beside others', async (t) => {
  const clock = new ManualClock();
  const backend: Backend = {
    hide: hidingOf([]),
    endpoints: ['u'],
    isReady: async () => ({ kind: 'ready' }),
    execute: hang,
    close: () => Promise.resolve(),
  };
  const slots = createSlots({ backend, requestTimeoutMs: 1_000, clock, random: seededRandom(1) });
  const ended: (readonly [index: number, afterMs: number])[] = [];
  const startMs = clock.monotonicMs();
  for (const index of [1, 2, 3]) {
    slots.run(assignment(index), 0).then(() => ended.push([index, clock.monotonicMs() - startMs]), t.fail);
    if (index === 1) slots.stop(ref(1));
    await clock.advance(300);
  }
  await clock.advance(5_000);
  t.deepEqual(ended, [
    [1, 0],
    [2, 1_300],
    [3, 1_600],
  ]);
});

test('a backend that throws cannot send the item: final, with the reason', async (t) => {
  const ending = await slotsOn(() => Promise.reject(new TypeError('Invalid character in header'))).run(assignment(1), 0);
  t.like(ending, { kind: 'outcome', outcome: { code: 'invalid_request', isRetryable: false } });
});

test('stop aborts exactly one execution, stopAll the rest', async (t) => {
  const slots = slotsOn(hang);
  const ended: number[] = [];
  const runs = [1, 2, 3].map((index) => slots.run(assignment(index), 0).then(() => ended.push(index)));
  slots.stop(ref(2));
  slots.stop(ref(9));
  await runs[1];
  t.deepEqual(ended, [2]);
  slots.stopAll();
  await Promise.all(runs);
  t.deepEqual(ended, [2, 1, 3]);
});

test('a line that is no item is a final error, and nothing is executed', async (t) => {
  const slots = slotsOn(() => Promise.reject(new Error('executed')));
  for (const [line, code] of [
    ['{"custom_id": "x"}', 'missing_url'],
    ['   ', 'invalid_json'],
    ['{', 'invalid_json'],
  ] as const) {
    t.like(await slots.run({ ...assignment(1), line: Buffer.from(line) }, 0), {
      kind: 'outcome',
      outcome: { kind: 'error', code, isRetryable: false, httpStatus: 0 },
    });
  }
});
