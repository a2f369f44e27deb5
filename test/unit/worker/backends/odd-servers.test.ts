import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Backend, Request } from '../../../../runtime/worker/backends/contract.ts';
import { createOpenAiBackend } from '../../../../runtime/worker/backends/openai.ts';
import { answerBytes } from '../../../support/answer-bytes.ts';
import { openAiSettings } from '../../../support/openai-settings.ts';

/** What servers do that is allowed, or common, and seldom. */

const never = new AbortController().signal;

async function backendOf(t: ExecutionContext, server: Server): Promise<Backend> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] }));
  t.teardown(() => backend.close());
  return backend;
}

function request(body: object): Request {
  return {
    item: { customId: 'a', method: 'POST', url: '/v1/chat/completions', body },
    bytes: () => Buffer.from(JSON.stringify(body)),
    requestId: 'a-1',
  };
}

test('events that come under another type are collected where a stream was asked for, and nowhere else', async (t) => {
  const events = 'data: {"created":9223372036854775807,"choices":[{"index":0,"text":"a","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const answer = '{"created":9223372036854775807,"choices":[{"index":0,"finish_reason":"stop","text":"a"}]}';
  const json = '{"choices": [{"text": "a", "logprobs": 1.0}]}';
  for (const type of ['text/plain', 'application/json', 'Text/Event-Stream']) {
    let sent = events;
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(sent));
    const backend = await backendOf(t, server);
    const got = async (body: object): Promise<string> => {
      const execution = await backend.execute(0, request(body), { signal: never });
      return execution.kind === 'answered' ? answerBytes(execution).toString() : execution.kind;
    };
    t.is(await got({ stream: true }), answer, type);
    t.is(await got({}), type === 'Text/Event-Stream' ? answer : events, type);
    sent = json;
    if (type !== 'Text/Event-Stream') t.is(await got({ stream: true }), json, type);
  }
});

test('interim answers are passed over, but for 100 Continue, which is named', async (t) => {
  let isContinue = false;
  const server = createServer((_, response) => {
    if (isContinue) response.writeContinue();
    else response.writeProcessing();
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('{}');
  });
  const backend = await backendOf(t, server);
  t.like(await backend.execute(0, request({}), { signal: never }), { kind: 'answered', status: 200 });
  isContinue = true;
  const execution = await backend.execute(0, request({}), { signal: never });
  t.like(execution, { kind: 'failed', code: 'connection_reset' });
  t.regex(execution.kind === 'failed' ? execution.message : '', /100 Continue/);
  const readiness = await backend.isReady(0, never);
  t.regex(readiness.kind === 'not-ready' ? readiness.detail : '', /100 Continue/);
});
