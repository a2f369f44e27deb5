import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import { MOST_ANSWER_BYTES } from '../../runtime/model/limits.ts';
import { createAnswerBudget } from '../../runtime/worker/backends/answer-budget.ts';
import type { Backend, Executed } from '../../runtime/worker/backends/contract.ts';
import { createOpenAiBackend } from '../../runtime/worker/backends/openai.ts';
import { createSlots } from '../../runtime/worker/slots.ts';
import { answerBytes } from '../support/answer-bytes.ts';
import { openAiSettings } from '../support/openai-settings.ts';
import { assignment } from '../support/worker-state.ts';
import { HABITS } from '../support/zoo/habits.ts';
import { zooServer } from '../support/zoo/server.ts';

const MIB = 1024 ** 2;
const signal = new AbortController().signal;

async function ask(backend: Backend, content: string, more: object = {}, url = '/v1/chat/completions'): Promise<Executed> {
  const body = { messages: [{ role: 'user', content }], ...more };
  const item = { customId: content, method: 'POST', url, body };
  return backend.execute(0, { item, bytes: () => Buffer.from(JSON.stringify(body)), requestId: `${content}-1` }, { signal });
}

test('64 answers of 11.5 MB at a time are read, and never all of them are held at once', async (t) => {
  t.timeout(120_000);
  // One buffer for all: the server is in this process too.
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(11.5e6) } }] }));
  const server = await zooServer(t, HABITS.always({ kind: 'answer', status: 200, body }));
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [server.url], concurrency: 64 }));
  t.teardown(() => backend.close());
  let held = 0;
  let peak = 0;
  const watch = setInterval(() => {
    held = process.memoryUsage().arrayBuffers;
    peak = Math.max(peak, held);
  }, 5);
  t.teardown(() => clearInterval(watch));
  const before = process.memoryUsage().arrayBuffers;
  const statuses = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => {
      const execution = await ask(backend, `item-${n}`);
      return execution.kind === 'answered' ? `${execution.status} ${answerBytes(execution).byteLength}` : execution.kind;
    }),
  );
  t.deepEqual([...new Set(statuses)], [`200 ${body.length}`]);
  t.log(`peak ${Math.round((peak - before) / MIB)} MiB`);
  // Together they are 702 MiB.
  t.true(peak - before < 256 * MIB, `${Math.round((peak - before) / MIB)} MiB`);
});

test('an answer that waits for room in this process is no slow server: the request timeout does not pass meanwhile', async (t) => {
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(1e6) } }] }));
  const server = await zooServer(t, HABITS.always({ kind: 'answer', status: 200, body }));
  const budget = createAnswerBudget(MIB);
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [server.url], budget }));
  t.teardown(() => backend.close());
  const slots = createSlots({ backend, requestTimeoutMs: 1_000, clock: systemClock, random: seededRandom(1) });
  // Outcomes that no coordinator has acknowledged fill it.
  budget.keep(MIB);
  const running = slots.run(assignment(1), 0);
  await systemClock.sleep(1_500);
  budget.keep(0);
  t.like(await running, { kind: 'outcome', outcome: { kind: 'result' } });
});

for (const [maxAnswerBytes, advice] of [
  [1_000, /\(--max-answer-bytes, 1000 bytes\): ask for less, for example with max_tokens, or raise it$/],
  [MOST_ANSWER_BYTES, /ask for less, for example with max_tokens; it is at its maximum$/],
] as const) {
  test(`an answer longer than ${maxAnswerBytes} bytes is given up; the message names the setting and what can be done`, async (t) => {
    const server = await zooServer(t, HABITS.always({ kind: 'answer', status: 200, body: Buffer.alloc(maxAnswerBytes + 1, ' ') }));
    const backend = createOpenAiBackend(openAiSettings({ baseUrls: [server.url], maxAnswerBytes }));
    t.teardown(() => backend.close());
    const execution = await ask(backend, 'one');
    t.like(execution, { kind: 'failed', code: 'response_too_large' });
    t.regex(execution.kind === 'failed' ? execution.message : '', advice);
  });
}

test('stream: true is sent as it stands, and its events become the answer; elsewhere it is refused before it is sent', async (t) => {
  const server = await zooServer(t);
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [server.url] }));
  t.teardown(() => backend.close());
  const execution = await ask(backend, 'one', { stream: true });
  if (execution.kind !== 'answered') return t.fail(execution.kind);
  t.regex(server.bodies[0] ?? '', /"stream":true/);
  t.like(JSON.parse(answerBytes(execution).toString()), {
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'answer to one' } }],
  });
  const refused = await ask(backend, 'two', { stream: true }, '/v1/responses');
  t.like(refused, { kind: 'failed', code: 'invalid_request' });
  t.is(server.total(), 1);
});
