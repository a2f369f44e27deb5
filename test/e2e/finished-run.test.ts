import { join } from 'node:path';
import test from 'ava';
import { readRunId } from '../../runtime/tls/ca.ts';
import { openOutbox } from '../../runtime/worker/outbox/open.ts';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { leaseEpoch, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

test('C4: a worker with outcomes of a finished run hands them over to its coordinator, started again, and ends with 0', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t);
  const port = await freePort();
  const standing = standalone(t, { lines: batchLines(4), baseUrl: server.url, concurrency: 2 });
  const first = standing.startCoordinator('coordinator', port);
  await leaseEpoch(first, PATIENCE_MS);
  const worker = standing.startWorker('w1', [port]);
  t.is(await first.exited, 0, first.stderr());
  t.is(await worker.exited, 0, worker.stderr());

  const owner = {
    dir: join(standing.dir, 'workers', 'w2', 'store'),
    workerId: 'w2',
    runId: await readRunId(standing.tlsDir),
    waitForDiskSpace: async () => true,
  };
  const outbox = await openOutbox(owner);
  const line = Buffer.from('{}');
  await outbox.put(
    [0, 1].map((index) => ({
      index,
      attempt: 1,
      claimEpoch: 0,
      kind: 'result' as const,
      line,
      httpStatus: 200,
      code: '',
      isRetryable: false,
      isProbe: false,
      delayMs: 0,
    })),
  );
  await outbox.close();

  const again = standing.startCoordinator('coordinator', port);
  const late = standing.startWorker('w2', [port]);
  await until('the worker has handed over', 60_000, () => late.hasExited());
  t.is(await late.exited, 0, late.stderr());
  t.is(await again.exited, 0, again.stderr());
  const left = await openOutbox(owner);
  t.deepEqual(left.found, []);
  await left.close();
  t.is((await standing.verify()).exit, 0);
});
