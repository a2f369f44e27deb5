import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLine, batchLines, itemIds } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { type Behaviour, modelServer, OK } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const throttled = (status: 429 | 503, retryAfter: string): Behaviour => ({
  kind: 'status',
  status,
  headers: { 'retry-after': retryAfter },
});
const TOO_MANY = throttled(429, '2');

/** Items whose first execution fails in a way that counts; the second is answered. */
const FAILS_ONCE: Readonly<Record<string, Behaviour>> = {
  'status-500': { kind: 'status', status: 500 },
  'status-502': { kind: 'status', status: 502 },
  'status-408': { kind: 'status', status: 408 },
  'status-409': { kind: 'status', status: 409 },
  hang: { kind: 'hang' },
  reset: { kind: 'reset' },
  truncated: { kind: 'truncated' },
  empty: { kind: 'empty' },
};

test('500, 502, 408, 409, hang, reset, truncated JSON and empty 200: each is a failure and is tried again', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item, nth) => (nth === 1 ? (FAILS_ONCE[item] ?? OK) : OK));
  const faulty = Object.keys(FAILS_ONCE);
  const run = makeRun(t, {
    lines: [...faulty, ...itemIds(20)].map((id) => batchLine(id)),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '8', '--timeout', '1s', '--max-attempts', '2'],
  });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  for (const item of faulty) t.is(server.executions.get(item), 2, item);
  for (const item of itemIds(20)) t.is(server.executions.get(item), 1, item);
});

test('each of them is recorded as failed, with its code, once the attempts are used up', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) => FAILS_ONCE[item] ?? OK);
  const faulty = Object.keys(FAILS_ONCE);
  const run = makeRun(t, {
    lines: [...faulty, ...itemIds(20)].map((id) => batchLine(id)),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '8', '--timeout', '1s', '--max-attempts', '2'],
  });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  await checkInvariant(t, run);
  // What fails while nothing else shows that the server works is executed again and not counted.
  for (const item of faulty) t.true((server.executions.get(item) ?? 0) >= 2, item);
  const failures = run.failures();
  t.deepEqual(
    failures.map((line) => line.custom_id),
    faulty,
  );
  for (const line of failures) {
    const status = Number(/\d+/.exec(line.custom_id ?? '')?.[0] ?? 0);
    if (status === 0) continue;
    t.is(line.error?.code, `http_${status}`);
    t.is(line.response?.status_code, status, 'an HTTP failure keeps its response');
  }
  t.is(new Set(failures.map((line) => line.error?.code)).size >= 5, true, 'the codes tell the faults apart');
});

test('500 counts five times by default, at growing distances', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) => (item === 'item-000001' ? { kind: 'status', status: 500 } : OK));
  const run = makeRun(t, { lines: batchLines(5), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '2'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  const executions = server.executions.get('item-000001') ?? 0;
  t.true(executions >= 5 && executions <= 8, `executed ${executions} times: what nothing shows to be the fault of the item does not count`);
  const arrivals = server.arrivals.get('item-000001') ?? [];
  const gaps = arrivals.slice(1).map((at, n) => Math.round(at - (arrivals[n] ?? 0)));
  t.log(`distances ${gaps.join(', ')} ms`);
  t.true(
    gaps.every((gap) => gap >= 200),
    gaps.join(', '),
  );
  t.true((gaps.at(-1) ?? 0) >= 1_500, 'the fourth distance and all later ones are about 4 s, with jitter');
  t.is(run.failures()[0]?.error?.code, 'http_500');
  await checkInvariant(t, run);
});

test('429 with Retry-After is honoured, 503 without or with an absurd one is tried again soon: neither uses up an attempt; 400 and 422 are final', async (t) => {
  t.timeout(300_000);
  const final: Readonly<Record<string, number>> = { 'item-000001': 400, 'item-000004': 422 };
  const soon: readonly Behaviour[] = [{ kind: 'status', status: 503 }, throttled(503, '99999999999999999999')];
  const server = await modelServer(t, (item, nth) => {
    const status = final[item];
    if (status !== undefined) return { kind: 'status', status, error: { code: 'context_length_exceeded' } };
    if (item === 'item-000002') return nth <= 3 ? TOO_MANY : OK;
    return item === 'item-000006' ? (soon[nth - 1] ?? OK) : OK;
  });
  const run = makeRun(t, {
    lines: batchLines(10),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '2', '--max-attempts', '1'],
  });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  const arrivals = server.arrivals.get('item-000002') ?? [];
  t.is(arrivals.length, 4);
  const gaps = arrivals.slice(1).map((at, n) => Math.round(at - (arrivals[n] ?? 0)));
  t.log(`distances ${gaps.join(', ')} ms`);
  t.true(
    gaps.every((gap) => gap >= 1_950),
    gaps.join(', '),
  );
  t.is(server.executions.get('item-000006'), 3);
  t.is(server.total(), 10 + 3 + 2, 'what is final was executed once');
  t.deepEqual(
    run.failures().map((line) => [line.custom_id, line.error?.code, line.response?.status_code]),
    [
      ['item-000001', 'http_400', 400],
      ['item-000004', 'http_422', 422],
    ],
  );
  t.like(run.failures()[0]?.response?.body, { error: { code: 'context_length_exceeded' } });
  await checkInvariant(t, run);
});

test('401 before any result pauses the run at once with its reason (exit 5); the same command goes on and loses none', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'status', status: 401, error: { message: 'Incorrect API key' } }));
  const run = makeRun(t, { lines: batchLines(60), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  const first = run.start();
  t.is(await exitOf(first, PATIENCE_MS), 5, first.stderr());
  t.regex(first.stderr(), /401/);
  t.deepEqual(run.processes(), []);
  t.true(server.total() <= 4 + 1, `${server.total()} requests before the pause`);
  const status = await run.verb('status', '--json');
  t.regex(status.stdout, /"paused"/);
  const refused = server.executions.size;
  server.answerWith(() => OK);
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
  t.log(`${refused} items had got a 401`);
  t.deepEqual(run.failures(), [], 'no item has failed for a wrong key');
  t.is(run.results().length, 60);
});

test('single 401s between successes do not pause the run', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) => (item.endsWith('5') ? { kind: 'status', status: 401 } : OK));
  const run = makeRun(t, { lines: batchLines(120), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  t.is(run.failures().length, 12);
  await checkInvariant(t, run);
});

test('insufficient_quota pauses the run (exit 5) and fails nothing; the same command goes on', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) =>
    item === 'item-000010'
      ? { kind: 'status', status: 429, error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }
      : OK,
  );
  const run = makeRun(t, {
    lines: batchLines(60),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4', '--max-attempts', '1'],
  });
  const first = run.start();
  t.is(await exitOf(first, PATIENCE_MS), 5, first.stderr());
  t.regex(first.stderr(), /quota/);
  server.answerWith(() => OK);
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
});

test('connection refused for a while: the run waits, nothing fails, and it goes on when the server answers', async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  const run = makeRun(t, {
    lines: batchLines(30),
    args: ['--base-url', `http://127.0.0.1:${port}`, '--workers', '1', '--concurrency', '4', '--max-attempts', '1'],
  });
  const command = run.start();
  await until('the worker is up', PATIENCE_MS, () => run.workers().length === 1);
  await sleep(4_000);
  t.false(command.hasExited(), command.stderr());
  const server = await modelServer(t, () => OK, port);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.is(server.total(), 30, 'each was executed once');
  await checkInvariant(t, run);
});

test('a server that goes away mid-run and comes back: nothing fails', async (t) => {
  t.timeout(300_000);
  const first = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, { lines: batchLines(160), args: ['--base-url', first.url, '--workers', '1', '--concurrency', '4'] });
  const command = run.start();
  await until('the run is under way', PATIENCE_MS, () => first.total() > 40);
  await first.close();
  await sleep(3_000);
  t.false(command.hasExited(), command.stderr());
  const second = await modelServer(t, () => OK, first.port);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.log(`${first.total() + second.total() - 160} executions again`);
  t.true(first.total() + second.total() - 160 <= 4, 'only what was in flight when the server went away');
  await checkInvariant(t, run);
});

test('--wait-backend: a server that never comes ends the run with exit 4, and the same command goes on', async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  const run = makeRun(t, {
    lines: batchLines(30),
    args: ['--base-url', `http://127.0.0.1:${port}`, '--workers', '1', '--wait-backend', '2s'],
  });
  const first = run.start();
  t.is(await exitOf(first, PATIENCE_MS), 4, first.stderr());
  t.regex(first.stderr(), new RegExp(String(port)));
  t.deepEqual(run.processes(), []);
  const server = await modelServer(t, () => OK, port);
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  t.is(server.total(), 30);
  await checkInvariant(t, run);
});
