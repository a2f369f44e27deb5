import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../runtime/base/errors.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import { loadAuthorities } from '../../runtime/tls/authorities.ts';
import type { Backend, Executed, Readiness } from '../../runtime/worker/backends/contract.ts';
import { createOpenAiBackend, type OpenAiSettings } from '../../runtime/worker/backends/openai.ts';
import { judge } from '../../runtime/worker/endpoint/retry.ts';
import { freePort } from '../support/free-port.ts';
import { openAiSettings } from '../support/openai-settings.ts';
import { HABITS } from '../support/zoo/habits.ts';
import { ownCa } from '../support/zoo/own-ca.ts';
import { zooProxy } from '../support/zoo/proxy.ts';
import { status } from '../support/zoo/replies.ts';
import { zooServer } from '../support/zoo/server.ts';

/** How a backend reaches its server: through proxies of the environment, and with authorities of one's own. */
const signal = new AbortController().signal;

function backendAt(t: ExecutionContext, baseUrl: string, more: Partial<OpenAiSettings> = {}): Backend {
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [baseUrl], ...more }));
  t.teardown(() => backend.close());
  return backend;
}

async function ask(backend: Backend, content = 'one'): Promise<Executed> {
  const body = { messages: [{ role: 'user', content }] };
  const item = { customId: content, method: 'POST', url: '/v1/chat/completions', body };
  return backend.execute(0, { item, bytes: () => Buffer.from(JSON.stringify(body)), requestId: `${content}-1` }, { signal });
}

function told(execution: Executed): string {
  return execution.kind === 'unavailable' ? execution.detail : `${execution.kind}`;
}

function notReady(readiness: Readiness): string {
  return readiness.kind === 'not-ready' ? readiness.detail : readiness.kind;
}

/** Says this to everybody and closes. */
async function greeter(t: ExecutionContext, words: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(words));
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What is recorded, or told, of a failure. */
function messageOf(execution: Executed): string {
  const judged = judge(execution, 1, seededRandom(1), (text) => text, 0);
  return judged.kind === 'error' ? judged.message : judged.kind;
}

test('http_proxy: probes and items go through it by their whole address, names are resolved by it, and its password is sent', async (t) => {
  const server = await zooServer(t);
  const proxy = await zooProxy(t);
  const env = { http_proxy: `http://me:secret@127.0.0.1:${proxy.port}` };
  const backend = backendAt(t, `http://model.invalid:${server.port}/v1`, { env });
  t.deepEqual(await backend.isReady(0, signal), { kind: 'ready' });
  t.like(await ask(backend), { kind: 'answered', status: 200, url: `http://model.invalid:${server.port}/v1/chat/completions` });
  const base = `http://model.invalid:${server.port}/v1`;
  t.deepEqual(proxy.asked, [`GET ${base}/models`, `POST ${base}/chat/completions`]);
  t.deepEqual([...new Set(proxy.authorizations)], [`Basic ${Buffer.from('me:secret').toString('base64')}`]);
  t.is(server.lastHeaders().host, `model.invalid:${server.port}`);
});

test('many items pass the proxy at the same time', async (t) => {
  const server = await zooServer(t, undefined, { serviceMs: 300 });
  const proxy = await zooProxy(t);
  const backend = backendAt(t, `http://model.invalid:${server.port}`, { env: { http_proxy: proxy.url }, concurrency: 8 });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(backend, `item-${n}`)));
  t.true(answers.every((answer) => answer.kind === 'answered' && answer.status === 200));
  t.true(server.peakInFlight() >= 4, String(server.peakInFlight()));
});

test('no_proxy: the server is asked directly', async (t) => {
  const server = await zooServer(t);
  const proxy = await zooProxy(t);
  await ask(backendAt(t, server.url, { env: { http_proxy: proxy.url, no_proxy: 'localhost,127.0.0.0/8' } }));
  t.deepEqual(proxy.asked, []);
  t.is(server.total(), 1);
});

test('HTTPS_PROXY: what is encrypted goes through a tunnel, and the certificate is that of the server', async (t) => {
  const { ca, tls } = await ownCa();
  const server = await zooServer(t, undefined, { tls });
  const proxy = await zooProxy(t);
  const backend = backendAt(t, `https://model.test:${server.port}`, { env: { HTTPS_PROXY: proxy.url }, authorities: [ca] });
  t.deepEqual(await backend.isReady(0, signal), { kind: 'ready' });
  t.like(await ask(backend), { kind: 'answered', status: 200 });
  t.is(proxy.asked[0], `CONNECT model.test:${server.port}`);
});

test("a proxy's refusal is told as the proxy's, with its variable and without its password, and nothing counts as executed", async (t) => {
  const proxy = await zooProxy(t, 407);
  const env = { https_proxy: `http://me:hunter2@127.0.0.1:${proxy.port}`, http_proxy: `http://me:hunter2@127.0.0.1:${proxy.port}` };
  const secure = told(await ask(backendAt(t, 'https://model.test', { env })));
  t.regex(secure, /https_proxy\) answered 407 .*to CONNECT model\.test:443/);
  const plain = await backendAt(t, 'http://model.test', { env }).isReady(0, signal);
  const detail = plain.kind === 'not-ready' ? plain.detail : '';
  t.regex(detail, /through the proxy http:\/\/127\.0\.0\.1:\d+ \(http_proxy\): answered 407: the proxy wants a name and a password/);
  t.regex(told(await ask(backendAt(t, 'http://model.test', { env }))), /\(http_proxy\): answered 407: the proxy wants a name/);
  t.notRegex(secure + detail, /hunter2/);
});

test('an answer that a proxy may have given itself is told with its address, without its password; through a tunnel nothing is added', async (t) => {
  const env = (port: number) => ({ http_proxy: `http://me:hunter2@127.0.0.1:${port}`, https_proxy: `http://127.0.0.1:${port}` });
  for (const status of [403, 502, 504]) {
    const proxy = await zooProxy(t, status);
    const message = messageOf(await ask(backendAt(t, 'http://model.test', { env: env(proxy.port) })));
    t.regex(message, new RegExp(`^http://model.test/v1/chat/completions answered ${status}: .*the proxy refuses`));
    t.true(message.endsWith(`asked through the proxy ${proxy.url} (http_proxy), which may have given this answer itself)`), message);
    t.notRegex(message, /hunter2/);
  }
  const { ca, tls } = await ownCa();
  const server = await zooServer(t, HABITS.always(status(403)), { tls });
  const proxy = await zooProxy(t);
  const secure = backendAt(t, `https://model.test:${server.port}`, { env: env(proxy.port), authorities: [ca] });
  t.notRegex(messageOf(await ask(secure)), /proxy/);
});

test('a proxy of another kind is refused by the name of its variable', (t) => {
  for (const value of ['socks5://me:hunter2@127.0.0.1:1080', 'http://me:hunter2@:x:']) {
    const start = (): Backend => backendAt(t, 'http://model.test', { env: { ALL_PROXY: value } });
    const error = t.throws(start, { instanceOf: RolloutError, message: /ALL_PROXY names a proxy .*cannot be used/ });
    t.notRegex(error.message, /hunter2/);
  }
});

test('a proxy that is not there is named, with the way to it', async (t) => {
  const env = { http_proxy: `127.0.0.1:${await freePort()}`, https_proxy: `127.0.0.1:${await freePort()}` };
  t.regex(told(await ask(backendAt(t, 'http://model.test', { env }))), /through the proxy .*\(http_proxy\).*ECONNREFUSED/);
  t.regex(told(await ask(backendAt(t, 'https://model.test', { env }))), /through the proxy .*\(https_proxy\).*ECONNREFUSED/);
});

test('an authority of its own: refused with the way out, and accepted once it is named by a setting or the environment', async (t) => {
  const { ca, tls } = await ownCa();
  const server = await zooServer(t, undefined, { tls });
  const refused = await backendAt(t, server.url).isReady(0, signal);
  t.regex(
    refused.kind === 'not-ready' ? refused.detail : '',
    /name the certificate of that authority with --ca-cert \(caCert in a settings file\), or in SSL_CERT_FILE/,
  );
  t.is((await ask(backendAt(t, server.url))).kind, 'unavailable');
  const dir = await mkdtemp(join(tmpdir(), 'rollout-ca-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'ca.pem');
  await writeFile(file, ca);
  await writeFile(join(dir, 'README'), 'no certificate');
  const named = [loadAuthorities(file, {}), loadAuthorities(null, { SSL_CERT_FILE: file }), loadAuthorities(null, { SSL_CERT_DIR: dir })];
  for (const authorities of await Promise.all(named)) t.like(await ask(backendAt(t, server.url, { authorities })), { status: 200 });
});

test('authorities: nothing named leaves those of Node, and a file that is none is refused by the name of its setting', async (t) => {
  t.is(await loadAuthorities(null, { NODE_EXTRA_CA_CERTS: '/nowhere' }), null);
  const missing = await t.throwsAsync(loadAuthorities('/nowhere/ca.pem', {}), { instanceOf: RolloutError });
  t.regex(missing?.message ?? '', /--ca-cert \(caCert in a settings file\): \/nowhere\/ca\.pem cannot be used/);
  await t.throwsAsync(loadAuthorities(null, { SSL_CERT_FILE: '/dev/null' }), { message: /SSL_CERT_FILE: \/dev\/null .*it is empty/ });
});

test('a server that speaks TLS, asked without, and one that does not, asked with it, are told with what to change', async (t) => {
  const { ca, tls } = await ownCa();
  const [plain, secure] = [await zooServer(t), await zooServer(t, undefined, { tls })];
  const withTls = backendAt(t, plain.url.replace('http:', 'https:'), { authorities: [ca] });
  t.regex(notReady(await withTls.isReady(0, signal)), /does not speak TLS: if it is the server, its address begins with http:\/\//);
  t.regex(told(await ask(withTls)), /does not speak TLS/, 'no request was sent');
  const without = backendAt(t, secure.url.replace('https:', 'http:'));
  t.regex(notReady(await without.isReady(0, signal)), /if the server speaks TLS, its address begins with https:\/\//);
});

test('what is no HTTP server, or closes during the handshake, is told as such', async (t) => {
  const shell = await greeter(t, 'SSH-2.0-OpenSSH_9.2\r\n');
  t.regex(notReady(await backendAt(t, `http://127.0.0.1:${shell}`).isReady(0, signal)), /does not speak HTTP\/1\.1: are host and port/);
  const closing = backendAt(t, `https://127.0.0.1:${await greeter(t, '')}`);
  t.regex(notReady(await closing.isReady(0, signal)), /closed during the TLS handshake/);
  t.regex(told(await ask(closing)), /closed during the TLS handshake/);
});
