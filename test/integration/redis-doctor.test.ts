import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { redisServer } from '../support/redis-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { verb } from '../support/verb.ts';

test('a server on which nothing is lost is fit; what may be lost is said, and what would lose items is refused, each with its remedy', async (t) => {
  const server = await redisServer(t);
  const redis = server.client();
  const asked = () => verb(['doctor', '--redis', server.url], '/');
  t.like(await asked(), { exit: 0, stdout: `${server.url}: fit for a run; nothing that it has answered is lost\n` });
  await redis.config('SET', 'appendfsync', 'everysec');
  const warned = await asked();
  t.is(warned.exit, 0);
  t.regex(warned.stdout, /this may be lost:\n {2}warned: appendfsync is everysec.*\n {4}remedy: set appendfsync always/);
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  t.regex((await asked()).stdout, /no run can be kept here\n {2}refused: maxmemory-policy is allkeys-lru/);
  await redis.config('SET', 'maxmemory', '1000');
  t.regex((await asked()).stdout, /refused: the server is full: it uses \d+ bytes of 1000.*\n {4}remedy: raise maxmemory/);
  await redis.config('SET', 'maxmemory', '0');
  const json = await verb(['doctor', '--redis', server.url, '--json'], '/');
  t.is(json.exit, 2);
  t.like(JSON.parse(json.stdout), { isFit: false, findings: [{ severity: 'refused' }, { severity: 'warned' }] });
  const run = makeRun(t, { lines: batchLines(1), args: ['--backend', 'mock', '--redis', server.url] });
  t.like(await run.refused(), { exit: 2 });
  t.regex((await run.refused()).stderr, /a run cannot be kept on redis:.*noeviction/);
});

test('a user without a command or without the keys is told which it lacks', async (t) => {
  const server = await redisServer(t);
  const redis = server.client();
  await redis.call('ACL', 'SETUSER', 'poor', 'on', 'nopass', '~rollout:*', '+@all', '-hset', '-config');
  await redis.call('ACL', 'SETUSER', 'elsewhere', 'on', 'nopass', '~other:*', '+@all');
  const asked = (user: string) => verb(['doctor', '--redis', `redis://${user}@127.0.0.1:${server.port}`, '--json'], '/');
  t.like(JSON.parse((await asked('poor')).stdout), {
    findings: [
      { severity: 'warned' },
      { severity: 'refused', what: 'the user of the run may not give HSET', fix: 'ACL SETUSER <user> +hset' },
    ],
  });
  t.regex((await asked('elsewhere')).stdout, /refused.*may not use its keys.*~rollout:\*/);
});

async function documentation(): Promise<string> {
  return readFile(new URL('../../docs/redis.md', import.meta.url), 'utf8');
}

/** As the documentation says: of another database, and for what may be lost. */
const MAY_BE_LEFT_OUT = ['select', 'config|get'];

test('the user that the documentation names has all that a run and its retry need, in another database too, and nothing more', async (t) => {
  const server = await redisServer(t);
  const redis = server.client();
  const [, words = '', password = ''] = /ACL (SETUSER rollout on >(\S+) .*)/.exec(await documentation()) ?? [];
  await redis.call('ACL', ...words.split(' '));
  const [sick] = itemIds(12);
  let isHealed = false;
  const model = await modelServer(t, (item) => (item === sick && !isHealed ? { kind: 'status', status: 400 } : { kind: 'ok' }));
  const run = makeRun(t, {
    lines: batchLines(12),
    args: ['--base-url', model.url, '--redis', `redis://rollout@127.0.0.1:${server.port}/3`],
    env: { ROLLOUT_REDIS_PASSWORD: password },
  });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  isHealed = true;
  const retried = run.retry();
  t.is(await exitOf(retried, PATIENCE_MS), 0, retried.stderr());
  await redis.select(3);
  t.true((await redis.keys('rollout:*')).length > 4);
  t.notRegex(command.stderr(), /may lose/, 'all settings of the server may be read');
  const asked = server.client({ username: 'rollout', password });
  await t.throwsAsync(asked.get('other'), { message: /NOPERM/ });
  await t.throwsAsync(asked.flushall(), { message: /NOPERM/ });
});

test('each command of that user is needed, and doctor names the one that is missing', async (t) => {
  const server = await redisServer(t);
  const redis = server.client();
  const [, words = ''] = /ACL (SETUSER rollout on >\S+ .*)/.exec(await documentation()) ?? [];
  const commands = [...words.matchAll(/\+(\S+)/g)].map(([, name = '']) => name).filter((name) => !MAY_BE_LEFT_OUT.includes(name));
  t.true(commands.length >= 14);
  await redis.call('ACL', ...words.replace(/>\S+/, 'nopass').split(' '));
  for (const command of commands) {
    await redis.call('ACL', 'SETUSER', 'rollout', `-${command}`);
    await redis.script('FLUSH');
    const { exit, stdout } = await verb(['doctor', '--redis', `redis://rollout@127.0.0.1:${server.port}`], '/');
    t.is(exit, 2, command);
    t.regex(stdout, new RegExp(`may not give.* ${command}\\b[\\s\\S]*\\+${command}\\b`, 'i'));
    await redis.call('ACL', 'SETUSER', 'rollout', `+${command}`);
  }
});

test('a server that does not answer, a password in the URL and a file that is not there are told with what to do, and no password is shown', async (t) => {
  const asked = (...args: readonly string[]) => verb(['doctor', ...args], '/');
  const silent = await asked('--redis', 'redis://127.0.0.1:1');
  t.is(silent.exit, 4);
  t.regex(silent.stderr, /redis:\/\/127\.0\.0\.1:1 does not answer .*ECONNREFUSED/);
  const open = await asked('--redis', 'redis://u:secret@127.0.0.1:1');
  t.is(open.exit, 2);
  t.regex(open.stderr, /--redis-password-file/);
  t.false(open.stderr.includes('secret'));
  const missing = await asked('--redis', 'redis://127.0.0.1:1', '--redis-password-file', '/nowhere');
  t.is(missing.exit, 2);
  t.regex(missing.stderr, /--redis-password-file.*cannot read \/nowhere/);
});

test('TLS: a server with a certificate of its own authority, which wants one from its clients too', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, 'run');
  await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] });
  await issueCertificate(dir, { role: 'client' });
  const file = (name: string): string => join(dir, name);
  const own = [
    '--tls-cert-file',
    file('coordinator.pem'),
    '--tls-key-file',
    file('coordinator.key.pem'),
    '--tls-ca-cert-file',
    file('ca.pem'),
  ];
  const server = await redisServer(t, (port) => ['--port', '0', '--tls-port', String(port), ...own]);
  const asked = (...more: readonly string[]) => verb(['doctor', '--redis', `rediss://127.0.0.1:${server.port}`, ...more], '/');
  const whole = ['--redis-ca-cert', file('ca.pem'), '--redis-cert', file('client.pem'), '--redis-key', file('client.key.pem')];
  const found = await asked(...whole);
  t.is(found.exit, 0, found.stderr);
  t.is((await asked('--redis-ca-cert', file('ca.pem'))).exit, 4, 'the server wants a certificate');
  const garbage = file('garbage.pem');
  await writeFile(garbage, 'garbage');
  const mistaken: readonly [args: readonly string[], wanted: RegExp][] = [
    [['--redis-ca-cert', garbage], /--redis-ca-cert, .*garbage\.pem holds no certificate/],
    [[...whole, '--redis-cert', garbage], /--redis-cert, .*garbage\.pem holds no certificate/],
    [[...whole, '--redis-key', garbage], /--redis-key, .*garbage\.pem holds no private key/],
    [[...whole, '--redis-key', file('coordinator.key.pem')], /--redis-key, .*coordinator\.key\.pem is not the key of .*client\.pem/],
  ];
  for (const [args, wanted] of mistaken) {
    const { exit, stderr } = await asked(...args);
    t.is(exit, 2, stderr);
    t.regex(stderr, wanted);
  }
  const untrusted = await asked();
  t.is(untrusted.exit, 4);
  t.regex(untrusted.stderr, /certificate/);
});
