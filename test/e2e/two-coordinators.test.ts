import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** The lease lives for so long that a successor which waited for its end would be found out, however busy the machine is. */
const LONG_LEASE = { coordinatorFailureTimeout: '120s', workerSelfFenceTimeout: '100s' };
const AT_ONCE_MS = { SIGKILL: 60_000, SIGTERM: 60_000 };

for (const end of ['SIGKILL', 'SIGTERM'] as const) {
  const how = end === 'SIGKILL' ? 'is killed' : 'resigns, which keeps the epoch';
  test(`two coordinators on one directory: the second waits, and takes over at once when the first ${how} (L1, L4)`, async (t) => {
    t.timeout(300_000);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 400 }));
    const ports = [await freePort(), await freePort()] as const;
    const run = standalone(t, { lines: batchLines(200), baseUrl: server.url, concurrency: 8, timing: LONG_LEASE });
    const first = run.startCoordinator('c1', ports[0]);
    t.is(await leaseEpoch(first, PATIENCE_MS), 0);
    const second = run.startCoordinator('c2', ports[1]);
    const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
    await until('the run is under way', PATIENCE_MS, () => server.total() >= 40);
    await sleep(1_500);
    t.false(second.hasExited(), second.stderr());
    t.deepEqual(
      printedEvents(second).filter((event) => String(event['kind']).startsWith('lease_')),
      [],
      'the second waits',
    );
    first.signal(end);
    const endedAtMs = performance.now();
    t.is(await leaseEpoch(second, PATIENCE_MS), 1);
    const tookMs = performance.now() - endedAtMs;
    t.log(`took over after ${Math.round(tookMs)} ms`);
    t.true(tookMs < AT_ONCE_MS[end], `${tookMs} ms`);
    await first.exited;
    t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
    for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
    t.deepEqual(invariantBreaks(run), []);
    t.is((await run.verify()).exit, 0);
    t.deepEqual(server.repeated(), [], 'nothing was executed again');
    t.deepEqual(
      printedEvents(second).filter((event) => event['kind'] === 'worker_failed'),
      [],
    );
    if (end === 'SIGTERM')
      t.deepEqual(
        printedEvents(second).filter((event) => event['kind'] === 'lease_stolen'),
        [],
        'a released lease is not stolen',
      );
  });
}

test('dev CA: two first starts at once make one, mode 0600, and say so once; a later start reads it', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const ports = [await freePort(), await freePort()] as const;
  const run = standalone(t, { lines: batchLines(20), baseUrl: server.url, concurrency: 4 });
  const both = [run.startCoordinator('c1', ports[0]), run.startCoordinator('c2', ports[1])];
  await until('one holds the lease', PATIENCE_MS, () =>
    both.some((one) => printedEvents(one).some((event) => String(event['kind']).startsWith('lease_'))),
  );
  await sleep(500);
  const said = both.flatMap(
    (one) => `${one.stdout()}${one.stderr()}`.match(/Certificates for this run's own processes were made in .*/g) ?? [],
  );
  t.is(said.length, 1, said.join('\n'));
  t.true(said[0]?.includes(run.tlsDir));
  const ca = readFileSync(join(run.tlsDir, 'ca.pem'), 'utf8');
  t.is(statSync(join(run.tlsDir, 'ca.key.pem')).mode & 0o777, 0o600);
  for (const one of both) one.signal('SIGKILL');
  for (const one of both) await one.exited;
  const third = run.startCoordinator('c1', ports[0]);
  await leaseEpoch(third, PATIENCE_MS);
  const worker = run.startWorker('w1', [ports[0]]);
  t.is(await exitOf(third, PATIENCE_MS), 0, third.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.false(`${third.stdout()}${third.stderr()}`.includes('own processes were made'));
  t.is(readFileSync(join(run.tlsDir, 'ca.pem'), 'utf8'), ca);
  t.deepEqual(invariantBreaks(run), []);
});
