import { cpSync, existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { segmentName } from '../../runtime/results/place/segment-name.ts';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, standalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

test('L41: a state directory restored from an old copy, with a worker that knows a later epoch, is refused aloud, at each start', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 400 }));
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(400), baseUrl: server.url, concurrency: 1 });
  let coordinator = run.startCoordinator('c1', port);
  await leaseEpoch(coordinator, 60_000);
  coordinator.signal('SIGTERM');
  t.is(await exitOf(coordinator, 30_000), 130);
  const copy = `${run.state}.copy`;
  cpSync(run.state, copy, { recursive: true });

  const worker = run.startWorker('w1', [port]);
  for (const epoch of [1, 2, 3]) {
    coordinator = run.startCoordinator('c1', port);
    t.is(await leaseEpoch(coordinator, 60_000), epoch);
    // What a worker executes it may have got from the coordinator before; it hands over nothing before it has heard of this one.
    const segment = join(run.state, 'segments', segmentName(epoch));
    await until('the worker works for it', 60_000, () => existsSync(segment) && statSync(segment).size > 1_000);
    coordinator.signal('SIGTERM');
    t.is(await exitOf(coordinator, 30_000), 130, coordinator.stderr());
  }
  renameSync(run.state, `${run.state}.newest`);
  cpSync(copy, run.state, { recursive: true });

  const restored = run.startCoordinator('c1', port);
  t.is(await exitOf(restored, 60_000), 2, restored.stderr());
  t.regex(restored.stderr(), /Worker w1 has seen epoch 3 of this run, and the store knows none after 1: .*newest copy.*--fresh/);
  t.notRegex(restored.stderr(), /taken the run over/);
  // Its own words, or the last ones of that coordinator, whichever beat was under way.
  await until('the worker says it too', 10_000, () => /restored from an old copy.*newest copy.*--fresh/.test(worker.stderr()));
  for (let start = 0; start < 2; start += 1) {
    const again = run.startCoordinator('c1', port);
    t.is(await exitOf(again, 60_000), 2, again.stderr());
    t.regex(again.stderr(), /is at epoch 1, but epoch 3 of this run was already in use/);
  }

  renameSync(run.state, `${run.state}.old`);
  renameSync(`${run.state}.newest`, run.state);
  const newest = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(newest, 60_000), 4);
  const before = server.total();
  await until('the worker goes on with the newest copy', 60_000, () => server.total() > before);
  worker.signal('SIGKILL');
});
