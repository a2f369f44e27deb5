import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { NoAnswer } from '../../../../operator/kube/api-error.ts';
import type { Credentials } from '../../../../operator/kube/credentials.ts';
import { createTransport, type Transport } from '../../../../operator/kube/transport.ts';
import { edgeCredentials } from '../../../support/edge-config.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

interface Stage {
  readonly transport: Transport;
  readonly clock: ManualClock;
  readonly answered: string[];
  readonly sockets: () => number;
}

async function stage(
  t: ExecutionContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  more: Partial<Credentials> = {},
): Promise<Stage> {
  const server = createServer(answer);
  let sockets = 0;
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const real = edgeCredentials(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const credentials = { server: real.server, namespace: null, access: () => real.access(), close: () => real.close(), ...more };
  const clock = new ManualClock();
  const answered: string[] = [];
  const transport = createTransport({
    credentials,
    clock,
    userAgent: 'things/1',
    onAnswered: (method, code) => answered.push(`${method} ${code}`),
  });
  t.teardown(() => {
    transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { transport, clock, answered, sockets: () => sockets };
}

test('a call carries token, body and name, and its answer is whatever was answered', async (t) => {
  const seen: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const { transport, answered } = await stage(t, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      seen.push({ headers: request.headers, body });
      response.writeHead(418, { 'x-one': '1' });
      response.end('short and stout ü');
    });
  });
  const body = { text: '{"ü":1}', contentType: 'application/merge-patch+json' };
  const answer = await transport.call({ method: 'PATCH', path: '/a?b=c', body });
  t.like(answer, { status: 418, body: 'short and stout ü' });
  t.is(answer.headers['x-one'], '1');
  t.like(seen[0]?.headers, {
    authorization: 'Bearer secret-token',
    'content-type': 'application/merge-patch+json',
    'user-agent': 'things/1',
    accept: 'application/json',
  });
  t.is(seen[0]?.body, '{"ü":1}');
  t.deepEqual(answered, ['PATCH 418']);
});

test('calls that follow each other share a connection', async (t) => {
  const { transport, sockets } = await stage(t, (_, response) => response.end('{}'));
  for (let at = 0; at < 20; at += 1) await transport.call({ method: 'GET', path: '/' });
  t.is(sockets(), 1);
});

test('a call without an answer ends at its deadline', async (t) => {
  const { transport, clock, answered } = await stage(t, () => undefined);
  const call = transport.call({ method: 'GET', path: '/slow', deadlineMs: 5_000 });
  const failed = t.throwsAsync(call, { instanceOf: NoAnswer, message: /\/slow: no answer within 5000 ms/ });
  await clock.advance(5_000);
  await failed;
  await until('it was counted', PATIENCE_MS, () => answered.length === 1);
  t.deepEqual(answered, ['GET <error>']);
});

test('an answer that stops half way ends at the deadline too', async (t) => {
  const { transport, clock } = await stage(t, (_, response) => {
    response.writeHead(200);
    response.write('{"half":');
  });
  const failed = t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer });
  await clock.advance(30_000);
  await failed;
});

test('credentials that do not come, as of a plugin that hangs, end at the deadline', async (t) => {
  const { transport, clock } = await stage(t, (_, response) => response.end(), { access: () => new Promise(() => undefined) });
  const failed = t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer });
  await clock.advance(30_000);
  await failed;
});

test('credentials that cannot be had are no answer, with their reason', async (t) => {
  const { transport } = await stage(t, (_, response) => response.end(), {
    access: () => Promise.reject(new Error('the plugin is missing')),
  });
  await t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer, message: /the plugin is missing/ });
});

test('a connection that breaks is no answer', async (t) => {
  const { transport } = await stage(t, (request, response) => {
    if (request.url === '/head') response.destroy();
    else {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    }
  });
  await t.throwsAsync(transport.call({ method: 'GET', path: '/head' }), { instanceOf: NoAnswer });
  await t.throwsAsync(transport.call({ method: 'GET', path: '/body' }), { instanceOf: NoAnswer, message: /broke off/ });
});

test('a kept connection that the server has closed is not taken for a failure of a read; a write is left to its caller', async (t) => {
  // The server cuts each connection at the second request on it, as one does that closes while a request is on its way.
  const counts = new WeakMap<object, number>();
  const { transport, sockets } = await stage(t, (request, response) => {
    const count = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, count);
    if (count > 1) request.socket.destroy();
    else response.end('{}');
  });
  await transport.call({ method: 'GET', path: '/' });
  t.is((await transport.call({ method: 'GET', path: '/' })).status, 200);
  t.is(sockets(), 2);
  await t.throwsAsync(transport.call({ method: 'PATCH', path: '/' }), { instanceOf: NoAnswer });
});

test('an answer without an end is not read for ever', async (t) => {
  const piece = 'x'.repeat(2 ** 20);
  const { transport } = await stage(t, (_, response) => {
    const more = (): boolean => !response.destroyed && response.write(piece, () => more());
    more();
  });
  await t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer, message: /more than \d+ bytes/ });
});

test('a stream is read as it comes, beyond the deadline of its head', async (t) => {
  let write: (text: string) => void = () => undefined;
  const { transport, clock } = await stage(t, (_, response) => {
    response.writeHead(200);
    response.flushHeaders();
    write = (text) => response.write(text);
  });
  const answer = await transport.open({ method: 'GET', path: '/', deadlineMs: 1_000 });
  await clock.advance(60_000);
  const chunks = answer.chunks[Symbol.asyncIterator]();
  write('one');
  t.is(String((await chunks.next()).value), 'one');
  await clock.advance(60_000);
  write('two');
  t.is(String((await chunks.next()).value), 'two');
  answer.destroy('enough');
  await t.throwsAsync(Promise.resolve(chunks.next()), { instanceOf: NoAnswer, message: /enough/ });
});

test('a signal gives a call up, whether it waits or is read', async (t) => {
  const { transport } = await stage(t, (request, response) => {
    if (request.url === '/silent') return;
    response.writeHead(200);
    response.flushHeaders();
  });
  const early = new AbortController();
  early.abort();
  await t.throwsAsync(transport.open({ method: 'GET', path: '/silent', signal: early.signal }), { instanceOf: NoAnswer });
  const late = new AbortController();
  const answer = await transport.open({ method: 'GET', path: '/', signal: late.signal });
  const next = answer.chunks[Symbol.asyncIterator]().next();
  late.abort();
  await t.throwsAsync(Promise.resolve(next), { instanceOf: NoAnswer });
});

test('a client that is closed makes no call, and ends those that it has made', async (t) => {
  const { transport } = await stage(t, () => undefined);
  const call = t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer });
  await new Promise((resolve) => setImmediate(resolve));
  transport.close();
  await call;
  await t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer, message: /closed/ });
});

test('a server that is not there is no answer', async (t) => {
  const transport = createTransport({ credentials: edgeCredentials('http://127.0.0.1:1'), clock: new ManualClock(), userAgent: 'x' });
  await t.throwsAsync(transport.call({ method: 'GET', path: '/' }), { instanceOf: NoAnswer, message: /ECONNREFUSED/ });
});
