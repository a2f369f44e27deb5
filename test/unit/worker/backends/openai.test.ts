import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Backend, Executed, Request } from '../../../../runtime/worker/backends/contract.ts';
import { createOpenAiBackend, type OpenAiSettings } from '../../../../runtime/worker/backends/openai.ts';
import { answerBytes } from '../../../support/answer-bytes.ts';
import { freePort } from '../../../support/free-port.ts';
import { modelServer } from '../../../support/model-server.ts';
import { openAiSettings } from '../../../support/openai-settings.ts';
import { until } from '../../../support/until.ts';

const never = new AbortController().signal;

function backendAt(t: ExecutionContext, baseUrl: string, more: Partial<OpenAiSettings> = {}): Backend {
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [baseUrl], ...more }));
  t.teardown(() => backend.close());
  return backend;
}

function request(content: string, body: unknown = { messages: [{ role: 'user', content }] }): Request {
  return {
    item: { customId: content, method: 'POST', url: '/v1/chat/completions', body },
    bytes: () => Buffer.from(JSON.stringify(body)),
    requestId: `${content}-1`,
  };
}

function status(execution: Executed): number | string {
  return execution.kind === 'answered' ? execution.status : execution.kind;
}

test('a whole answer comes with its status, request id and bytes', async (t) => {
  const server = await modelServer(t);
  const execution = await backendAt(t, server.url).execute(0, request('one'), { signal: never });
  if (execution.kind !== 'answered') return t.fail(execution.kind);
  t.is(execution.status, 200);
  t.is(execution.requestId, 'req-test');
  t.is(JSON.parse(answerBytes(execution).toString()).choices[0].message.content, 'answer to one');
});

test('key, extra headers and the name of the execution are sent; without a key no Authorization', async (t) => {
  const server = await modelServer(t);
  await backendAt(t, server.url, { apiKey: 'sk-x', headers: { 'x-team': 'a' } }).execute(0, request('one'), { signal: never });
  t.like(server.lastHeaders(), {
    authorization: 'Bearer sk-x',
    'x-team': 'a',
    'x-request-id': 'one-1',
    'content-type': 'application/json',
  });
  await backendAt(t, server.url).execute(0, request('two'), { signal: never });
  t.is(server.lastHeaders().authorization, undefined);
});

test('model fills body.model where it is absent, overrideModel replaces it', async (t) => {
  const server = await modelServer(t);
  const sentModel = async (more: Partial<OpenAiSettings>, body: object): Promise<unknown> => {
    await backendAt(t, server.url, more).execute(0, request('one', { messages: [], ...body }), { signal: never });
    return server.lastBody()['model'];
  };
  t.is(await sentModel({ model: 'm' }, {}), 'm');
  t.is(await sentModel({ model: 'm' }, { model: 'own' }), 'own');
  t.is(await sentModel({ overrideModel: 'o', model: 'm' }, { model: 'own' }), 'o');
  t.is(await sentModel({}, {}), undefined);
});

for (const code of [400, 401, 429, 500, 503]) {
  test(`status ${code} is an answer, with its headers`, async (t) => {
    const server = await modelServer(t, () => ({ kind: 'status', status: code, headers: { 'retry-after': '2' } }));
    const execution = await backendAt(t, server.url).execute(0, request('one'), { signal: never });
    t.like(execution, { kind: 'answered', status: code });
    t.is(execution.kind === 'answered' ? execution.headers['retry-after'] : '', '2');
  });
}

test('a truncated and an empty 200 are answers, for the judge to refuse', async (t) => {
  const server = await modelServer(t, (item) => ({ kind: item === 'cut' ? 'truncated' : 'empty' }));
  const backend = backendAt(t, server.url);
  const cut = await backend.execute(0, request('cut'), { signal: never });
  const text = cut.kind === 'answered' ? answerBytes(cut).toString() : '';
  t.true(text.length > 0);
  t.throws(() => JSON.parse(text));
  const empty = await backend.execute(0, request('void'), { signal: never });
  t.is(empty.kind === 'answered' ? answerBytes(empty).byteLength : -1, 0);
});

test('a reset connection is a failure of the execution', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'reset' }));
  t.like(await backendAt(t, server.url).execute(0, request('one'), { signal: never }), { kind: 'failed', code: 'connection_reset' });
});

test('a body that ends before its announced length is one too', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  });
  t.like(await backendAt(t, url).execute(0, request('one'), { signal: never }), { kind: 'failed', code: 'connection_reset' });
});

test('a server that hangs is let go of by the abort, and its socket is closed', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'hang' }));
  const controller = new AbortController();
  const execution = backendAt(t, server.url).execute(0, request('one'), controller);
  await until('the request arrives', 10_000, () => server.inFlight() === 1);
  controller.abort();
  t.is((await execution).kind, 'failed');
  await until('the server sees the socket close', 10_000, () => server.inFlight() === 0);
  t.pass();
});

test('connection refused for a while: unavailable and not ready, then it answers again', async (t) => {
  const port = await freePort();
  const backend = backendAt(t, `http://127.0.0.1:${port}`);
  t.is(status(await backend.execute(0, request('one'), { signal: never })), 'unavailable');
  const away = await backend.isReady(0, never);
  t.is(away.kind, 'not-ready');
  t.regex(away.kind === 'not-ready' ? away.detail : '', /ECONNREFUSED/);
  const server = await modelServer(t, undefined, port);
  t.deepEqual(await backend.isReady(0, never), { kind: 'ready' });
  t.is(status(await backend.execute(0, request('one'), { signal: never })), 200);
  await server.close();
  // A request on a connection that the server is just closing is a reset; the client has noticed once a probe is refused.
  await until('a probe is refused', 10_000, async () => (await backend.isReady(0, never)).kind === 'not-ready');
  t.is(status(await backend.execute(0, request('two'), { signal: never })), 'unavailable');
});

test('a name that does not resolve is unavailable', async (t) => {
  t.is(status(await backendAt(t, 'http://no-such-host.invalid:8000').execute(0, request('one'), { signal: never })), 'unavailable');
});

test('ready: the list of models answers, or the server says that it will not show it; 503 and 500 are not ready', async (t) => {
  for (const [code, kind] of [
    [200, 'ready'],
    [404, 'ready'],
    [401, 'ready'],
    [403, 'ready'],
    [503, 'not-ready'],
    [500, 'not-ready'],
  ] as const) {
    const url = await serve(t, (_, response) => response.writeHead(code).end('{}'));
    t.is((await backendAt(t, url).isReady(0, never)).kind, kind, String(code));
  }
});

test('an answer above the limit is given up, without reading it whole', async (t) => {
  const url = await serve(t, (_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent <= 12 * 1024 ** 2; sent += chunk.byteLength) response.write(chunk);
    response.end();
  });
  const execution = await backendAt(t, url).execute(0, request('one'), { signal: never });
  t.like(execution, { kind: 'failed', code: 'response_too_large' });
  t.regex(execution.kind === 'failed' ? execution.message : '', /maxAnswerBytes \(--max-answer-bytes, 12582912 bytes\)/);
});

test('the body arrives byte for byte as the line has it', async (t) => {
  const server = await modelServer(t);
  const text = '{"seed": 9223372036854775807, "p":1e400,"t":1.0, "2":1,"1":1,"t":2.0, "messages":[]}';
  const item = { customId: 'x', method: 'POST', url: '/v1/chat/completions', body: JSON.parse(text) as unknown };
  await backendAt(t, server.url).execute(0, { item, bytes: () => Buffer.from(text), requestId: 'x-1' }, { signal: never });
  t.deepEqual(server.bodies, [text]);
});

test('a path that cannot be sent is final, nothing is sent, and those that wait for the connection are not stopped by it', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 50 }));
  const backend = backendAt(t, server.url, { concurrency: 1 });
  const at = (url: string): Promise<Executed> => {
    const whole = request('one');
    return backend.execute(0, { ...whole, item: { ...whole.item, url } }, { signal: never });
  };
  const bad = ['/v1/chat completions', '/v1/x\u0000', '/v1/\u00e4', '/v1/x#y', '/v1/\ud800', '/v1/x\r\nhost: y'];
  const all = await Promise.all([...bad, '/v1/chat/completions', '/v1/chat/completions', '/v1/chat/completions'].map(at));
  for (const execution of all.slice(0, bad.length)) t.like(execution, { kind: 'failed', code: 'invalid_request' });
  t.deepEqual(all.slice(bad.length).map(status), [200, 200, 200]);
  t.is(server.total(), 3);
});

test('nesting of any depth is sent as it stands', async (t) => {
  const server = await modelServer(t);
  const deep = `{"messages":[],"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const item = { customId: 'x', method: 'POST', url: '/v1/chat/completions', body: JSON.parse(deep) as unknown };
  t.is(
    status(await backendAt(t, server.url).execute(0, { item, bytes: () => Buffer.from(deep), requestId: 'x-1' }, { signal: never })),
    200,
  );
  t.deepEqual(server.bodies, [deep]);
});

test('a key header of its own carries the key by itself, and a query of the base URL goes with every request', async (t) => {
  const server = await modelServer(t);
  const more = { apiKey: 'k1', apiKeyHeader: 'Api-Key' };
  const backend = backendAt(t, `${server.url}/openai/deployments/d?api-version=2024-10-21`, more);
  t.deepEqual(await backend.isReady(0, never), { kind: 'ready' });
  const execution = await backend.execute(0, request('one'), { signal: never });
  t.like(execution, { url: `${server.url}/openai/deployments/d/chat/completions` });
  t.is(server.lastHeaders()['api-key'], 'k1');
  t.is(server.lastHeaders().authorization, undefined);
  t.deepEqual(server.asked, [
    'GET /openai/deployments/d/models?api-version=2024-10-21',
    'POST /openai/deployments/d/chat/completions?api-version=2024-10-21',
  ]);
});

test('a header that is said by name replaces the one made of the key, whatever its case', async (t) => {
  const server = await modelServer(t);
  await backendAt(t, server.url, { apiKey: 'k1', headers: { Authorization: 'Token t' } }).execute(0, request('one'), { signal: never });
  t.is(server.lastHeaders().authorization, 'Token t');
});

test('an item that is no object cannot be asked', async (t) => {
  const server = await modelServer(t);
  t.like(await backendAt(t, server.url).execute(0, request('one', 'text'), { signal: never }), { kind: 'failed', code: 'invalid_request' });
  t.is(server.total(), 0);
});

async function serve(t: ExecutionContext, answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a refusal tells that no key was sent, and the variable that is not set', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'status', status: 401, error: { message: 'Incorrect API key' } }));
  const noteOf = async (more: Partial<OpenAiSettings>): Promise<string | undefined> => {
    const execution = await backendAt(t, server.url, more).execute(0, request('one'), { signal: never });
    return execution.kind === 'answered' ? execution.note : execution.kind;
  };
  t.is(await noteOf({ apiKeyEnv: 'MY_KEY', headers: { 'x-trace': '1' } }), 'no key was sent: MY_KEY is not set');
  t.is(await noteOf({ apiKey: 'k' }), undefined);
  t.is(await noteOf({ headers: { 'X-Api-Key': 'k' } }), undefined);
});
