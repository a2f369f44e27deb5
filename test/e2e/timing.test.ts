import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** Times of a worker's own file that do not fit those of its coordinator. */
const OWN = [
  ['beats more seldom than the coordinator fails', { heartbeatInterval: '10s' }, {}],
  [
    'waits and fences itself by other times',
    {
      heartbeatInterval: '100ms',
      workerSelfFenceTimeout: '300ms',
      clockSkewBudget: '100ms',
      coordinatorFailureTimeout: '600s',
      pollWait: '10ms',
    },
    { heartbeatInterval: '900ms', workerSelfFenceTimeout: '2s', coordinatorFailureTimeout: '3s', pollWait: '20s' },
  ],
] as const;

for (const [what, own, coordinatorTiming] of OWN) {
  test(`C12: a worker whose file ${what} works by the coordinator’s times, and is not failed`, async (t) => {
    t.timeout(120_000);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 3_000 }));
    const port = await freePort();
    const standing = standalone(t, { lines: batchLines(9), baseUrl: server.url, concurrency: 3, coordinatorTiming });
    const coordinator = standing.startCoordinator('coordinator', port);
    await leaseEpoch(coordinator, PATIENCE_MS);
    const worker = standing.startWorker('w1', [port], { timing: own });
    await until('the run ends', 90_000, () => coordinator.hasExited());
    t.is(await coordinator.exited, 0, coordinator.stderr());
    t.is(await worker.exited, 0, worker.stderr());
    t.deepEqual(
      printedEvents(coordinator).filter((event) => event['kind'] === 'worker_failed'),
      [],
    );
    t.deepEqual(server.repeated(), []);
    t.regex(worker.stderr(), /another heartbeatInterval/);
  });
}
