import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { freePort } from '../support/free-port.ts';
import { redisCluster } from '../support/redis-cluster.ts';
import { REDIS_SERVER } from '../support/redis-process.ts';
import { type RedisServer, redisServer } from '../support/redis-server.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

/** An authority, a certificate for servers on this host, and one for clients. */
async function certificates(t: ExecutionContext): Promise<(name: string) => string> {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, 'run');
  await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1', 'localhost'] });
  await issueCertificate(dir, { role: 'client' });
  return (name) => join(dir, name);
}

/** In the words of redis.conf; servers want a certificate of their clients, and of each other, too. */
function serverFiles(file: (name: string) => string): readonly (readonly [string, string])[] {
  return [
    ['tls-cert-file', file('coordinator.pem')],
    ['tls-key-file', file('coordinator.key.pem')],
    ['tls-client-cert-file', file('client.pem')],
    ['tls-client-key-file', file('client.key.pem')],
    ['tls-ca-cert-file', file('ca.pem')],
  ];
}

function clientFiles(file: (name: string) => string): readonly string[] {
  return ['--redis-ca-cert', file('ca.pem'), '--redis-cert', file('client.pem'), '--redis-key', file('client.key.pem')];
}

test('TLS: each node of a Cluster is reached by it, on the ports that the nodes tell for it', async (t) => {
  t.timeout(120_000);
  const file = await certificates(t);
  const cluster = await redisCluster(t, { tls: serverFiles(file).flatMap(([name, value]) => [`--${name}`, value]) });
  const url = `rediss://${cluster.tlsPorts.map((port) => `localhost:${port}`).join(',')}`;
  const found = await verb(['doctor', '--redis', url, '--json', ...clientFiles(file)], '/');
  t.is(found.exit, 0, found.stderr);
  const { servers } = JSON.parse(found.stdout) as { readonly servers: readonly { readonly server: string }[] };
  t.deepEqual(
    servers.map(({ server }) => Number(server.split(':').at(-1))).toSorted((a, b) => a - b),
    cluster.tlsPorts.toSorted((a, b) => a - b),
  );
  const untrusted = await verb(['doctor', '--redis', url], '/');
  t.is(untrusted.exit, 4);
  t.regex(untrusted.stderr, /certificate/);
});

interface TlsGroup {
  readonly primary: RedisServer;
  readonly url: string;
}

/** A primary and its one Sentinel; `own`: the Sentinel's certificate. */
async function tlsGroup(t: ExecutionContext, file: (name: string) => string, own = file): Promise<TlsGroup> {
  const files = serverFiles(file);
  const primary = await redisServer(t, (port) => [
    ...['--port', '0', '--tls-port', String(port)],
    ...files.flatMap(([name, value]) => [`--${name}`, value]),
  ]);
  const shown = serverFiles(own).slice(0, 2);
  const [port, config] = [await freePort(), join(temporaryDir(t), 'sentinel.conf')];
  const lines = [
    'port 0',
    `tls-port ${port}`,
    'bind 127.0.0.1',
    'tls-replication yes',
    ...[...shown, ...files.slice(2)].map((words) => words.join(' ')),
  ];
  await writeFile(config, [...lines, `sentinel monitor main 127.0.0.1 ${primary.port} 1`].join('\n'));
  const sentinel = spawn(REDIS_SERVER, [config, '--sentinel'], { stdio: 'ignore' });
  const ended = once(sentinel, 'exit');
  t.teardown(() => ended);
  t.teardown(() => sentinel.kill('SIGKILL'));
  return { primary, url: `rediss+sentinel://localhost:${port}/main` };
}

const asking =
  (url: string) =>
  (...more: readonly string[]) =>
    verb(['doctor', '--redis', url, ...more], '/');

test('TLS: Sentinels are reached by it, and so is the primary that they name', async (t) => {
  t.timeout(120_000);
  const file = await certificates(t);
  const { primary, url } = await tlsGroup(t, file);
  const ask = asking(url);
  const found = await until('the Sentinel answers', PATIENCE_MS, async () => {
    const told = await ask(...clientFiles(file));
    return told.exit === 0 && told;
  });
  t.regex(found.stdout, new RegExp(`server: 127.0.0.1:${primary.port}, the primary that the Sentinels name`));
  const untrusted = await ask();
  t.is(untrusted.exit, 4);
  t.regex(untrusted.stderr, /certificate.*Sentinel localhost:\d+\)\): name the authority.*--redis-ca-cert/);
});

test('TLS: Sentinels whose certificate another authority has signed are trusted by that one alone', async (t) => {
  t.timeout(120_000);
  const [file, own] = [await certificates(t), await certificates(t)];
  const { primary, url } = await tlsGroup(t, file, own);
  const ask = asking(url);
  const found = await until('the Sentinel answers', PATIENCE_MS, async () => {
    const told = await ask(...clientFiles(file), '--redis-sentinel-ca-cert', own('ca.pem'));
    return told.exit === 0 && told;
  });
  t.regex(found.stdout, new RegExp(`server: 127.0.0.1:${primary.port}, the primary that the Sentinels name`));
  const untrusted = await ask(...clientFiles(file));
  t.is(untrusted.exit, 4);
  t.regex(untrusted.stderr, /certificate.*Sentinel localhost:\d+\)\)/);
});
