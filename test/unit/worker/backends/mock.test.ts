import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import type { Executed } from '../../../../runtime/worker/backends/contract.ts';
import { createMockBackend } from '../../../../runtime/worker/backends/mock.ts';
import { answerBytes } from '../../../support/answer-bytes.ts';

const never = new AbortController().signal;

function request(
  content: string,
  attempt = 1,
): { item: { customId: string; method: string; url: string; body: unknown }; bytes: () => Uint8Array; requestId: string } {
  return {
    bytes: () => new Uint8Array(),
    item: { customId: content, method: 'POST', url: '/v1/chat/completions', body: { messages: [{ role: 'user', content }] } },
    requestId: `${content}-${attempt}`,
  };
}

function text(execution: Executed): string {
  return execution.kind === 'answered' ? answerBytes(execution).toString() : execution.kind;
}

function isFailure(execution: Executed): boolean {
  return execution.kind === 'answered' && execution.status === 500;
}

test('it repeats what it was told, in the shape of a chat completion', async (t) => {
  const backend = createMockBackend({ latencyMs: 0, latencySpreadMs: 0, failureRate: 0, seed: 1 }, systemClock);
  t.deepEqual(await backend.isReady(0, never), { kind: 'ready' });
  const answer = JSON.parse(text(await backend.execute(0, request('good morning'), { signal: never })));
  t.is(answer.object, 'chat.completion');
  t.is(answer.choices[0].message.content, 'good morning');
  const raw = await backend.execute(
    0,
    { item: { customId: '1', method: 'POST', url: '', body: [1, 2] }, bytes: () => new Uint8Array(), requestId: 'x-1' },
    { signal: never },
  );
  t.is(JSON.parse(text(raw)).choices[0].message.content, '[1,2]');
});

test('failures come at the rate that is set, and the same execution always ends alike', async (t) => {
  const backend = createMockBackend({ latencyMs: 0, latencySpreadMs: 0, failureRate: 0.2, seed: 7 }, systemClock);
  const statuses = await Promise.all(Array.from({ length: 1_000 }, (_, n) => backend.execute(0, request(`item-${n}`), { signal: never })));
  const failures = statuses.filter(isFailure).length;
  t.true(failures > 140 && failures < 260, `${failures} of 1000`);
  const again = await Promise.all(Array.from({ length: 1_000 }, (_, n) => backend.execute(0, request(`item-${n}`), { signal: never })));
  t.deepEqual(again.map(text), statuses.map(text));
  const other = createMockBackend({ latencyMs: 0, latencySpreadMs: 0, failureRate: 0.2, seed: 8 }, systemClock);
  const others = await Promise.all(Array.from({ length: 1_000 }, (_, n) => other.execute(0, request(`item-${n}`), { signal: never })));
  t.notDeepEqual(others.map(text), statuses.map(text), 'another seed, other failures');
  const second = await Promise.all(Array.from({ length: 1_000 }, (_, n) => backend.execute(0, request(`item-${n}`, 2), { signal: never })));
  const bothFailed = second.filter((one, n) => isFailure(one) && isFailure(statuses[n] as Executed)).length;
  t.true(bothFailed > 15 && bothFailed < 75, `a second attempt fails by its own chance: ${bothFailed} of 1000 failed twice`);
});

test('an abort ends the wait at once', async (t) => {
  const backend = createMockBackend({ latencyMs: 60_000, latencySpreadMs: 0, failureRate: 0, seed: 1 }, systemClock);
  const controller = new AbortController();
  const execution = backend.execute(0, request('slow'), controller);
  const startMs = performance.now();
  controller.abort();
  await execution;
  t.true(performance.now() - startMs < 5_000);
});

test('latencies are spread evenly from the least to the most, and the same execution always takes the same time', async (t) => {
  const slept: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) };
  const backend = createMockBackend({ latencyMs: 500, latencySpreadMs: 3_000, failureRate: 0, seed: 1 }, clock);
  for (let n = 0; n < 1_000; n += 1) await backend.execute(0, request(`item-${n}`), { signal: never });
  t.true(Math.min(...slept) >= 500 && Math.max(...slept) < 3_500);
  const mean = slept.reduce((sum, ms) => sum + ms, 0) / slept.length;
  t.true(mean > 1_900 && mean < 2_100, `${mean} ms`);
  await backend.execute(0, request('item-0'), { signal: never });
  t.is(slept.at(-1), slept[0]);
});
