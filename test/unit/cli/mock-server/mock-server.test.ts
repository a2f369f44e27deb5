import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { EXIT } from '../../../../runtime/base/exit.ts';
import { mockServer } from '../../../../runtime/cli/mock-server/mock-server.ts';
import { serveVerb } from '../../../support/served-verb.ts';
import { depsOf } from '../../../support/verb.ts';

const PLACE = { host: '127.0.0.1', port: 0, latency: '0ms' };

test('it answers as a model server does, until it is told to end', async (t) => {
  const server = await serveVerb(t, (deps) => mockServer(deps, PLACE));
  t.is((await fetch(`${server.url}/health?x=1`)).status, 200);
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
  });
  t.is(response.headers.get('content-type'), 'application/json');
  t.like(await response.json(), { choices: [{ message: { content: 'hello' } }] });
  t.is((await fetch(`${server.url}/nothing`)).status, 404);
  t.is(await server.end(), EXIT.done);
  await t.throwsAsync(fetch(`${server.url}/health`));
});

test('its latency is that of answers alone: a probe has none', async (t) => {
  const server = await serveVerb(t, (deps) =>
    mockServer({ ...deps, clock: { ...deps.clock, sleep: () => new Promise(() => undefined) } }, { ...PLACE, latency: '1h' }),
  );
  t.is((await fetch(`${server.url}/health`)).status, 200);
  const abort = new AbortController();
  const waiting = fetch(`${server.url}/v1/completions`, { method: 'POST', body: '{"prompt": "x"}', signal: abort.signal });
  t.is(await Promise.race([waiting.then(() => 'answered'), fetch(`${server.url}/v1/models`).then(() => 'waits')]), 'waits');
  abort.abort();
  await t.throwsAsync(waiting, { name: 'AbortError' });
});

test('a request beyond all lines is cut off, and the server goes on', async (t) => {
  const server = await serveVerb(t, (deps) => mockServer(deps, PLACE));
  await t.throwsAsync(fetch(`${server.url}/v1/completions`, { method: 'POST', body: 'x'.repeat(17 * 1024 * 1024) }));
  t.is((await fetch(`${server.url}/health`)).status, 200);
});

test('a port that is taken is a mistake of usage, with what to do', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const error = await t.throwsAsync(mockServer(depsOf('.'), { ...PLACE, port }), { instanceOf: RolloutError, code: 'CONFIG_INVALID' });
  t.regex(error?.message ?? '', /EADDRINUSE.*choose another --host or --port/);
});
