import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { processesOf } from '../support/process-table.ts';
import { redisServer } from '../support/redis-server.ts';
import { checkInvariant, exitOf, filesBelow, makeRun } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 3_000;
const LATENCY_MS = 40;
const FEW = 600;
const LONG_MS = 60_000;
const CUTS = 50;
/** Some dozens of calls. */
const LOST_BYTES = 8_000;

test('a run whose ledger is on Redis survives kill -9 of its coordinator and of redis-server, with one record for each item', async (t) => {
  t.timeout(300_000);
  const random = testRandom(t);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '6', '--redis', redis.url];
  const run = makeRun(t, {
    lines: batchLines(ITEMS),
    args: [...args, '--timing', 'coordinatorFailureTimeout=2s', '--timing', 'workerSelfFenceTimeout=1500ms'],
  });
  const command = run.start();
  await until('the first item is executed', PATIENCE_MS, () => server.total() > 0);
  for (const victim of ['coordinator', 'redis', 'coordinator', 'redis']) {
    const before = server.total();
    await until('work goes on', PATIENCE_MS, () => server.total() > before + 100);
    await sleep(between(random, 0, 300));
    t.false(command.hasExited(), 'the run was hit on its way, not at its end');
    if (victim === 'coordinator') await run.killCoordinator();
    else await redis.kill().then(() => redis.start());
  }
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(ITEMS)],
  );
  const shown = await run.verb('status', '--json');
  t.like(JSON.parse(shown.stdout), { state: { kind: 'completed' }, done: ITEMS });
  const copy = join(run.dir, 'copy.jsonl');
  t.is((await run.verb('export', '--output', copy)).exit, 0);
  t.is(await readFile(copy, 'utf8'), await readFile(run.output, 'utf8'));
  t.log(`${server.total()} executions of ${ITEMS} items`);
});

test('writes that a server with everysec has lost with the power are noticed, and their items are executed again: still one record each', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t, ['--appendfsync', 'everysec']);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '6', '--redis', redis.url];
  const run = makeRun(t, { lines: batchLines(FEW), args });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > FEW / 3);
  await redis.kill();
  await redis.loseTail(LOST_BYTES);
  await redis.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, FEW);
  t.true(server.repeated().length > 0, 'what was lost is executed again');
  t.regex(readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8'), /has lost writes/);
  t.log(`${server.total()} executions of ${FEW} items`);
});

test('the password of the server is taken from a file, and stands neither in arguments nor in what a run writes', async (t) => {
  t.timeout(120_000);
  const [secret, dir] = ['a-secret-word', temporaryDir(t)];
  const redis = await redisServer(t, ['--requirepass', secret]);
  const passwordFile = join(dir, 'password');
  await writeFile(passwordFile, `${secret}\n`);
  const run = makeRun(t, {
    lines: batchLines(200),
    args: ['--backend', 'mock', '--redis', redis.url, '--redis-password-file', passwordFile],
  });
  const command = run.start();
  await until('a coordinator', PATIENCE_MS, () => run.coordinator() !== undefined);
  for (const { pid } of processesOf(run.dir)) t.false((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(secret));
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  for (const name of ['run.json', 'coordinator.yaml', 'coordinator.json', 'events.ndjson', 'logs/coordinator.log'])
    t.false((await readFile(join(run.state, name), 'utf8')).includes(secret), name);
  t.is((await run.verb('verify')).exit, 0);
  await writeFile(passwordFile, 'another');
  const refused = await run.verb('verify');
  t.is(refused.exit, 4);
  t.regex(refused.stderr, /password/);
});

test('a password that is changed on the server in the middle of a run is shown nowhere, and the run goes on once its file has the new one', async (t) => {
  t.timeout(120_000);
  const [old, changed, dir] = ['a-secret-word', 'the-next-word', temporaryDir(t)];
  const redis = await redisServer(t, ['--requirepass', old]);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const passwordFile = join(dir, 'password');
  await writeFile(passwordFile, old);
  const run = makeRun(t, {
    lines: batchLines(FEW),
    args: ['--base-url', server.url, '--redis', redis.url, '--redis-password-file', passwordFile, '--log-level', 'debug'],
  });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > FEW / 10);
  const admin = redis.client({ password: old });
  await admin.config('SET', 'requirepass', changed);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const log = join(run.state, 'logs', 'coordinator.log');
  await until('the coordinator says what to do', PATIENCE_MS, () => /give the right password/.test(readFileSync(log, 'utf8')));
  await writeFile(passwordFile, changed);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  for (const { path, bytes } of filesBelow(run.dir)) for (const secret of [old, changed]) t.false(bytes.includes(secret), path);
  for (const secret of [old, changed]) t.false(command.stderr().includes(secret));
});

test('a server that is wiped while nothing is written is noticed by the next renewal, and the run ends with what has happened', async (t) => {
  t.timeout(120_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LONG_MS }));
  const run = makeRun(t, { lines: batchLines(4), args: ['--base-url', server.url, '--redis', redis.url, '--drain-timeout', '1s'] });
  const command = run.start();
  await until('the items run', PATIENCE_MS, () => server.total() === 4);
  const admin = redis.client();
  await admin.flushall();
  t.is(await exitOf(command, PATIENCE_MS), 2, command.stderr());
  t.regex(command.stderr(), /The ledger has (?:nothing of this run|lost the lease)/);
  t.regex(readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8'), /lost the lease of epoch 0/);
  t.is(await admin.dbsize(), 0);
});

test('connections that are cut again and again while a coordinator starts and works are waited out', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  let cuts = 0;
  const last = itemIds(FEW).at(-1);
  const server = await modelServer(t, async (item) => {
    // The run is not over before all its connections have been cut.
    if (item === last) await until('all are cut', PATIENCE_MS, () => cuts >= CUTS);
    return { kind: 'ok', afterMs: LATENCY_MS };
  });
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url, '--redis', redis.url, '--concurrency', '20'] });
  const admin = redis.client();
  const command = run.start();
  await until('a coordinator', PATIENCE_MS, () => run.coordinator() !== undefined);
  await until(`${CUTS} connections are cut`, PATIENCE_MS, async () => {
    cuts += (await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')) as number;
    return cuts >= CUTS;
  });
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.notRegex(command.stderr(), /ended with exit code/, 'no coordinator has ended by it');
  await checkInvariant(t, run);
  t.log(`${cuts} connections were cut`);
});

test('a run whose server stays away says what it waits for, and ends with 4 after --redis-wait; the same command goes on with all that was done', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url, '--redis', redis.url, '--redis-wait', '6s'] });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > FEW / 4);
  await redis.kill();
  t.is(await exitOf(command, PATIENCE_MS), 4, command.stderr());
  t.regex(command.stderr(), /coordinator waits: redis:.*ECONNREFUSED.*start the server/);
  t.regex(command.stderr(), /The run has stopped: the store could not be used for 6s \(--redis-wait\): redis:.*ECONNREFUSED/);
  t.regex(command.stderr(), /progress is kept, \d+ recorded.*\nto go on: +the same command again/);
  await redis.start();
  const again = run.start();
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  await checkInvariant(t, run);
  t.deepEqual(server.repeated(), [], 'what was executed meanwhile is kept by the workers');
});

test('a server that answers and refuses to write ends a run after --redis-wait, however many coordinators have found it so', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url, '--redis', redis.url, '--redis-wait', '12s'] });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > FEW / 4);
  const admin = redis.client();
  await admin.config('SET', 'min-replicas-to-write', '1');
  const endMs = performance.now() + LONG_MS;
  // As one that gives up: the next begins anew.
  while (!command.hasExited() && performance.now() < endMs) {
    await sleep(4_000);
    const pid = run.coordinator();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  t.true(command.hasExited(), command.stderr());
  t.is(await exitOf(command, PATIENCE_MS), 4, command.stderr());
  t.regex(command.stderr(), /The run has stopped: the store could not be used for 12s \(--redis-wait\): redis:.*NOREPLICAS/);
  await admin.config('SET', 'min-replicas-to-write', '0');
  const again = run.start();
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  await checkInvariant(t, run);
});

test('a coordinator that begins while the server is full waits until it is not, and one that has never begun is refused', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--redis', redis.url];
  const run = makeRun(t, { lines: batchLines(FEW), args });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > FEW / 4);
  const admin = redis.client();
  await admin.config('SET', 'maxmemory', '1');
  await run.killCoordinator();
  await until('the person hears of it', PATIENCE_MS, () => /coordinator waits: redis:.*the server is full/.test(command.stderr()));
  t.false(command.hasExited(), command.stderr());
  const other = makeRun(t, { lines: batchLines(1), args });
  const refused = await other.refused();
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /the server is full.*raise maxmemory/);
  await admin.config('SET', 'maxmemory', '0');
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.deepEqual(server.repeated(), [], 'what was executed meanwhile is kept by the workers');
});

test('a server that refuses the lease is named with what to do, once in the log and to the person, and the run begins once it is mended', async (t) => {
  t.timeout(120_000);
  const redis = await redisServer(t, ['--min-replicas-to-write', '1']);
  const run = makeRun(t, { lines: batchLines(5), args: ['--backend', 'mock', '--redis', redis.url] });
  const command = run.start();
  await until('the person hears of it', PATIENCE_MS, () => /coordinator waits: redis:.*NOREPLICAS.*start them/.test(command.stderr()));
  const log = readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8');
  t.is(log.split('\n').filter((line) => line.includes('NOREPLICAS')).length, 1);
  const admin = redis.client();
  await admin.config('SET', 'min-replicas-to-write', '0');
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.regex(command.stderr(), /coordinator goes on/);
  await checkInvariant(t, run);
});
