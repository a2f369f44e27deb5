import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { batchLine, batchLines, itemIds } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { hostSettings } from '../support/inline-hosts.ts';
import { invariantBreaks, readResults } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { redisServer } from '../support/redis-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { leaseEpoch, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

const ITEMS = 1_500;
const FEW = 300;
const LATENCY_MS = 30;
/** Some dozens of calls. */
const LOST_BYTES = 20_000;

test('results in Redis survive kill -9 of the coordinator and of redis-server, and the output is that of a directory, byte for byte', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const lines = batchLines(ITEMS);
  const args = ['--base-url', server.url, '--concurrency', '8'];
  const run = makeRun(t, { lines, args: [...args, '--redis', redis.url, '--results', 'inline'] });
  const command = run.start();
  for (const victim of ['coordinator', 'redis', 'coordinator']) {
    const before = server.total();
    await until('work goes on', PATIENCE_MS, () => server.total() > before + ITEMS / 5);
    t.false(command.hasExited(), 'the run was hit on its way, not at its end');
    if (victim === 'coordinator') await run.killCoordinator();
    else await redis.kill().then(() => redis.start());
  }
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.false(existsSync(join(run.state, 'segments')), 'no result was kept in the state directory');
  const inDirectory = makeRun(t, { lines, args });
  t.is(await exitOf(inDirectory.start(), PATIENCE_MS), 0);
  t.true(readFileSync(run.output).equals(readFileSync(inDirectory.output)));
});

test('results that a server with everysec has lost with the power are made again: still one record for each item', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t, ['--appendfsync', 'everysec']);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--concurrency', '6', '--redis', redis.url, '--results', 'inline'];
  const run = makeRun(t, { lines: batchLines(ITEMS), args });
  const command = run.start();
  await until('work goes on', PATIENCE_MS, () => server.total() > ITEMS / 3);
  await redis.kill();
  await redis.loseTail(LOST_BYTES);
  await redis.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, ITEMS);
  t.true(server.repeated().length > 0, 'what was lost is executed again');
});

test('retry, --extend, a partial export and a later command find the results in Redis, without being told', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const [sick] = itemIds(FEW);
  let isHealed = false;
  const server = await modelServer(t, (item) => (item === sick && !isHealed ? { kind: 'status', status: 400 } : { kind: 'ok' }));
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url] });
  const began = run.start(['--redis', redis.url, '--results', 'inline']);
  t.is(await exitOf(began, PATIENCE_MS), 1, began.stderr());
  const partial = join(run.dir, 'partial.jsonl');
  t.is((await run.verb('export', '--partial', '--output', partial)).exit, 0);
  t.is(readResults(partial).length, FEW - 1);
  isHealed = true;
  const retried = run.retry();
  t.is(await exitOf(retried, PATIENCE_MS), 0, retried.stderr());
  await checkInvariant(t, run);
  appendFileSync(run.input, `${batchLine('one more')}\n`);
  const extended = run.start(['--extend']);
  t.is(await exitOf(extended, PATIENCE_MS), 0, extended.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, FEW + 1);
  t.deepEqual(server.repeated(), [sick ?? '']);
  const other = await run.refused(['--results', 'directory']);
  t.is(other.exit, 2);
  t.regex(other.stderr, /keeps its results in Redis .*--results inline/);
});

test('R2: a run that needs more than the limit ends with 4 and says what to do; with a higher limit nothing is executed again', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url, '--redis', redis.url, '--results', 'inline'] });
  const first = run.start(['--inline-limit', '40KiB']);
  t.is(await exitOf(first, PATIENCE_MS), 4, first.stderr());
  t.regex(
    first.stderr(),
    /take at least \d+ bytes with those that came last, and --inline-limit allows 40960\. Everything that is recorded is kept/,
  );
  const second = run.start(['--inline-limit', '1MiB']);
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
  t.deepEqual(server.repeated(), [], 'what was not recorded was kept by the workers');
});

test('R2: a list whose results cannot fit is refused before its first item', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: batchLines(FEW), args: ['--base-url', server.url, '--redis', redis.url, '--results', 'inline'] });
  const refused = run.start(['--inline-limit', '8KiB']);
  t.is(await exitOf(refused, PATIENCE_MS), 4, refused.stderr());
  t.regex(refused.stderr(), /results of 300 items do not fit into Redis within --inline-limit, 8192 bytes: 64 items at most/);
  t.is(server.total(), 0);
});

test('two coordinators that share no directory: the second one takes over, each writes the whole output, and both prove it', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 300 }));
  const ports = [await freePort(), await freePort()] as const;
  const run = standalone(t, { lines: batchLines(FEW), baseUrl: server.url, concurrency: 8 });
  const hosts = ['a', 'b'].map((name) => hostSettings(run, name, redis));
  const first = run.startCoordinator('a', ports[0], hosts[0]);
  t.is(await leaseEpoch(first, PATIENCE_MS), 0);
  const second = run.startCoordinator('b', ports[1], hosts[1]);
  const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
  await until('the run is under way', PATIENCE_MS, () => server.total() >= 60);
  first.signal('SIGKILL');
  await first.exited;
  t.is(await leaseEpoch(second, PATIENCE_MS), 1);
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  const again = run.startCoordinator('a', ports[0], hosts[0]);
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  for (const name of ['a', 'b']) {
    const output = join(run.dir, `${name}.jsonl`);
    t.deepEqual(invariantBreaks({ input: run.input, output, errors: `${output}.errors.jsonl` }), []);
    const verified = await verb(['verify', '--state', join(run.dir, `${name}.state`)], run.dir);
    t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
  }
  t.true(readFileSync(join(run.dir, 'a.jsonl')).equals(readFileSync(join(run.dir, 'b.jsonl'))));
});

test('R3: a coordinator with another list than the run has is refused, and hands out nothing', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t);
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(20), baseUrl: server.url, concurrency: 4 });
  const hosts = ['a', 'b'].map((name) => hostSettings(run, name, redis));
  const first = run.startCoordinator('a', port, hosts[0]);
  t.is(await leaseEpoch(first, PATIENCE_MS), 0);
  await until('the list is written down', PATIENCE_MS, () => first.stdout().includes('"run_started"'));
  first.signal('SIGTERM');
  await first.exited;
  writeFileSync(
    join(run.dir, 'b.in.jsonl'),
    batchLines(21)
      .slice(1)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const other = run.startCoordinator('b', port, hosts[1]);
  t.is(await exitOf(other, PATIENCE_MS), 2, other.stderr());
  t.regex(other.stderr(), /the run in Redis has another list than .*b\.in\.jsonl/);
  t.false(other.stdout().includes('"run_started"'));
});

test('R3: a coordinator that comes after the end with another list is refused, and exports nothing', async (t) => {
  t.timeout(300_000);
  const redis = await redisServer(t);
  const server = await modelServer(t);
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(20), baseUrl: server.url, concurrency: 4 });
  const first = run.startCoordinator('a', port, hostSettings(run, 'a', redis));
  await leaseEpoch(first, PATIENCE_MS);
  const worker = run.startWorker('w', [port]);
  t.is(await exitOf(first, PATIENCE_MS), 0, first.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  const others = { shorter: batchLines(19), equal: batchLines(21).slice(1), longer: batchLines(23).slice(1) };
  for (const [name, lines] of Object.entries(others)) {
    const settings = hostSettings(run, name, redis);
    writeFileSync(join(run.dir, `${name}.in.jsonl`), lines.map((line) => `${line}\n`).join(''));
    const other = run.startCoordinator(name, port, settings);
    t.is(await exitOf(other, PATIENCE_MS), 2, `${name}: ${other.stderr()}`);
    t.regex(other.stderr(), /the run in Redis has another list than/);
    t.false(existsSync(join(run.dir, `${name}.jsonl`)), name);
  }
  const same = run.startCoordinator('b', port, hostSettings(run, 'b', redis));
  t.is(await exitOf(same, PATIENCE_MS), 0, same.stderr());
  t.true(readFileSync(join(run.dir, 'a.jsonl')).equals(readFileSync(join(run.dir, 'b.jsonl'))));
});
