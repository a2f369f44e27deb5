import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { Redis } from 'ioredis';
import { systemClock } from '../../runtime/base/clock.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { type RedisServer, redisServer } from '../support/redis-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** What the product promises: work goes on so long after its server is well again. */
const RESUME_MS = 5_000;
const ILL_MS = 2_500;
/** More than is done while all ills come and go. */
const ITEMS = 9_000;
const LATENCY_MS = 100;
/** A server that reads them takes some seconds for it, with the delay that is asked for. */
const KEYS = 100_000;
const KEY_LOAD_DELAY_US = 40;

interface Patient {
  readonly redis: RedisServer;
  readonly admin: Redis;
  readonly proxy: TcpProxy;
}

interface Ill {
  readonly name: string;
  readonly begin: (patient: Patient) => Promise<unknown>;
  /** Well again. */
  readonly end: (patient: Patient) => Promise<unknown>;
  /** The run goes on meanwhile. */
  readonly isBearable?: true;
  /** What the coordinator says of it, and of its remedy. */
  readonly said: RegExp | null;
}

const NOTHING = async (): Promise<void> => undefined;

const ILLS: readonly Ill[] = [
  {
    name: 'killed, and started again',
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
    said: /there is no connection to Redis.*see that the server runs/,
  },
  {
    name: 'stopped (SIGSTOP)',
    begin: async ({ redis }) => redis.signal('SIGSTOP'),
    end: async ({ redis }) => redis.signal('SIGCONT'),
    said: null,
  },
  { name: 'slow', begin: async ({ proxy }) => proxy.slow(300), end: async ({ proxy }) => proxy.slow(0), isBearable: true, said: null },
  {
    name: 'full (OOM)',
    begin: ({ admin }) => admin.config('SET', 'maxmemory', '1'),
    end: ({ admin }) => admin.config('SET', 'maxmemory', '0'),
    said: /OOM.*raise its maxmemory/,
  },
  {
    name: 'a replica (READONLY)',
    begin: ({ admin }) => admin.replicaof('127.0.0.1', '1'),
    end: ({ admin }) => admin.replicaof('NO', 'ONE'),
    said: /READONLY.*name the primary/,
  },
  {
    name: 'busy with a script (BUSY)',
    begin: async ({ redis, admin }) => {
      await admin.config('SET', 'busy-reply-threshold', '100');
      // It is answered once it is killed.
      void redis
        .client()
        .eval('while true do end', 0)
        .catch(() => undefined);
    },
    end: ({ admin }) => admin.script('KILL'),
    said: /BUSY.*SCRIPT KILL/,
  },
  { name: 'without its scripts (NOSCRIPT)', begin: ({ admin }) => admin.script('FLUSH'), end: NOTHING, isBearable: true, said: null },
  {
    name: 'reading its data after a start (LOADING)',
    begin: async ({ redis, admin }) => {
      await admin.eval(`for n = 1, ${KEYS} do redis.call('SET', 'other:' .. n, n) end`, 0);
      await redis.kill();
      await redis.start(['--key-load-delay', String(KEY_LOAD_DELAY_US)]);
    },
    end: ({ admin }) => until('it has read its data', PATIENCE_MS, async () => /^loading:0/m.test(await admin.info('persistence'))),
    said: /LOADING.*answers when it has done so/,
  },
];

/** How far the run is: items handed out, and items recorded. */
async function standing(ledger: Ledger): Promise<{ readonly given: number; readonly recorded: number }> {
  const { cursor, done, failed } = await until('the ledger answers', PATIENCE_MS, () => ledger.progress().catch(() => undefined));
  return { given: cursor, recorded: done + failed };
}

async function untilFurther(ledger: Ledger): Promise<void> {
  const before = await standing(ledger);
  await until('work goes on', PATIENCE_MS, async () => {
    const now = await standing(ledger);
    return now.given > before.given && now.recorded > before.recorded;
  });
}

function runIdOf(run: Run): string {
  return (JSON.parse(readFileSync(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string }).runId;
}

test('whatever ails the server, a run goes on within five seconds of its health, or ends with what to do, and records each item once', async (t) => {
  t.timeout(600_000);
  const redis = await redisServer(t, ['--user', 'rollout', 'on', 'nopass', '~*', '+@all']);
  const admin = redis.client();
  const proxy = await tcpProxy(t, redis.port);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--workers', '2', '--concurrency', '6', '--redis', `redis://rollout@127.0.0.1:${proxy.port}`];
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, ...args], env: { ROLLOUT_REDIS_PASSWORD: 'any' } });
  const command = run.start();
  await until('work begins', PATIENCE_MS, () => server.total() > 50);
  const ledger = await redis.open(runIdOf(run));
  t.teardown(() => ledger.dispose());
  const log = join(run.state, 'logs', 'coordinator.log');
  for (const { name, begin, end, isBearable, said } of ILLS) {
    await untilFurther(ledger);
    const saidBefore = readFileSync(log, 'utf8').length;
    await begin({ redis, admin, proxy });
    if (isBearable === true) await untilFurther(ledger);
    else await sleep(ILL_MS);
    await end({ redis, admin, proxy });
    const wellMs = performance.now();
    await untilFurther(ledger);
    const tookMs = Math.round(performance.now() - wellMs);
    t.log(`${name}: work goes on after ${tookMs} ms`);
    t.true(tookMs < RESUME_MS, `${name}: ${tookMs} ms`);
    if (said !== null) t.regex(readFileSync(log, 'utf8').slice(saidBefore), said, name);
    t.false(command.hasExited(), name);
  }
  await admin.call('ACL', 'SETUSER', 'rollout', '-hset');
  t.is(await exitOf(command, PATIENCE_MS), 2, command.stderr());
  t.regex(command.stderr(), /the user of the run may not give HSET: ACL SETUSER <user> \+hset/);
  await admin.call('ACL', 'SETUSER', 'rollout', '+hset');
  server.answerWith(() => ({ kind: 'ok' }));
  const again = run.start();
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  await checkInvariant(t, run);
  t.deepEqual(server.repeated(), [], 'nothing that was acknowledged was lost');
});

/** A certificate lives for a day. */
const TWO_DAYS_MS = 2 * 24 * 3_600_000;

test('a certificate of the server that has expired is told with what to do, and the run goes on within five seconds of its renewal', async (t) => {
  t.timeout(300_000);
  const [dir, plainPort] = [temporaryDir(t), await freePort()];
  const file = (name: string): string => join(dir, name);
  await ensureDevCa(dir, 'run');
  const renew = (wallMs: number) =>
    issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] }, { ...systemClock, wallMs: () => wallMs });
  await renew(Date.now());
  const files = ['--tls-cert-file', file('coordinator.pem'), '--tls-key-file', file('coordinator.key.pem')];
  const redis = await redisServer(t, (port) => [
    ...['--port', String(plainPort), '--tls-port', String(port), ...files],
    ...['--tls-ca-cert-file', file('ca.pem'), '--tls-auth-clients', 'no'],
  ]);
  const admin = redis.client({}, plainPort);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--redis', `rediss://127.0.0.1:${redis.port}`, '--redis-ca-cert', file('ca.pem')];
  const run = makeRun(t, { lines: batchLines(1_000), args });
  const command = run.start();
  await until('work begins', PATIENCE_MS, () => server.total() > 50);
  const ledger = await redis.open(runIdOf(run), { port: plainPort });
  t.teardown(() => ledger.dispose());
  /** Read anew by the server, and met by connections that are made from now on. */
  const present = async (wallMs: number): Promise<void> => {
    await renew(wallMs);
    await admin.config('SET', 'tls-cert-file', file('coordinator.pem'));
  };
  await present(Date.now() - TWO_DAYS_MS);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const log = join(run.state, 'logs', 'coordinator.log');
  await until('it is told', PATIENCE_MS, () => /certificate has expired\): renew the server's certificate/.test(readFileSync(log, 'utf8')));
  await present(Date.now());
  const wellMs = performance.now();
  await untilFurther(ledger);
  const tookMs = Math.round(performance.now() - wellMs);
  t.log(`work goes on after ${tookMs} ms`);
  t.true(tookMs < RESUME_MS, `${tookMs} ms`);
  server.answerWith(() => ({ kind: 'ok' }));
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.deepEqual(server.repeated(), []);
});
