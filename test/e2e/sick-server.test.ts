import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type Behave, type Behaviour, type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';

/** How a server may be sick; each answers at once, and so faster than one that works. */
const HABITS: Readonly<Record<string, Behaviour>> = {
  '502': { kind: 'status', status: 502 },
  '529': { kind: 'status', status: 529 },
  reset: { kind: 'reset' },
  truncated: { kind: 'truncated' },
  empty: { kind: 'empty' },
  '401': { kind: 'status', status: 401 },
  '404': { kind: 'status', status: 404 },
};
const HEALTHY: Behaviour = { kind: 'ok', afterMs: 200 };

interface Sick {
  readonly server: ModelServer;
  /** The most requests that it had at the same time, from a second after the first on. */
  peak(): number;
}

async function sickServer(t: ExecutionContext, habit: Behaviour, isSick: () => boolean = () => true): Promise<Sick> {
  let firstMs: number | null = null;
  let inFlight = 0;
  let peak = 0;
  const behave: Behave = async () => {
    inFlight += 1;
    firstMs ??= performance.now();
    if (performance.now() - firstMs > 1_000) peak = Math.max(peak, inFlight);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inFlight -= 1;
    return isSick() ? habit : HEALTHY;
  };
  return { server: await modelServer(t, behave), peak: () => peak };
}

test('one sick server among three healthy ones costs no item an attempt, and gets one request at a time', async (t) => {
  t.timeout(240_000);
  for (const [name, habit] of Object.entries(HABITS)) {
    const sick = await sickServer(t, habit);
    const healthy = await Promise.all([1, 2, 3].map(() => modelServer(t, () => ({ kind: 'ok', afterMs: 400 }))));
    const run = makeRun(t, {
      lines: batchLines(240),
      args: [...[sick.server, ...healthy].flatMap(({ url }) => ['--base-url', url]), '--workers', '1', '--max-attempts', '1'],
    });
    const command = run.start();
    t.is(await exitOf(command, 60_000), 0, `${name}: ${command.stderr()}`);
    t.true(sick.peak() <= 1, `${name}: ${sick.peak()} at a time`);
    t.log(`${name}: ${sick.server.total()} requests, at most ${sick.peak()} at a time once it was known`);
    for (const { url, executions } of healthy) t.true(executions.size > 30, `${name}: ${url} executed ${executions.size} items`);
    await checkInvariant(t, run);
  }
});

test('a server that becomes sick while others work costs no item an attempt either, and is used again when it is well', async (t) => {
  t.timeout(120_000);
  let phase: 'well' | 'sick' | 'well again' = 'well';
  const turning = await sickServer(t, { kind: 'status', status: 502 }, () => phase === 'sick');
  const healthy = await modelServer(t, () => HEALTHY);
  const run = makeRun(t, {
    lines: batchLines(1_600),
    args: ['--base-url', turning.server.url, '--base-url', healthy.url, '--workers', '2', '--concurrency', '16', '--max-attempts', '1'],
  });
  const command = run.start();
  const after = (items: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setInterval(() => {
        if (healthy.executions.size < items) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
  await after(100);
  phase = 'sick';
  await after(350);
  phase = 'well again';
  const before = turning.server.total();
  t.is(await exitOf(command, 90_000), 0, command.stderr());
  t.true(turning.server.total() - before > 200, 'it works again');
  await checkInvariant(t, run);
});

test('items that a server can never answer are recorded at the end of a list, more of them than make a row too', async (t) => {
  t.timeout(240_000);
  const isBad = (item: string): boolean => item.endsWith('3');
  const server = await modelServer(t, (item) => (isBad(item) ? { kind: 'status', status: 500 } : { kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, {
    lines: batchLines(120),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '16', '--max-attempts', '2'],
  });
  const command = run.start();
  t.is(await exitOf(command, 200_000), 1, command.stderr());
  t.is(run.failures().length, 12);
  t.is(run.results().length, 108);
  await checkInvariant(t, run);
});

test('an item that is always throttled while others pass fails at last', async (t) => {
  t.timeout(240_000);
  const server = await modelServer(t, (item) =>
    item === 'item-000003' ? { kind: 'status', status: 429, headers: { 'retry-after-ms': '50' } } : { kind: 'ok', afterMs: 300 },
  );
  const run = makeRun(t, {
    lines: batchLines(400),
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4', '--max-attempts', '2'],
  });
  const command = run.start();
  t.is(await exitOf(command, 200_000), 1, command.stderr());
  t.deepEqual(
    run.failures().map((line) => [line.custom_id, line.error?.code]),
    [['item-000003', 'http_429']],
  );
  t.true((server.executions.get('item-000003') ?? 0) > 30);
  await checkInvariant(t, run);
});
