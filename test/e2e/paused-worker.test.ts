import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { checkFleet, startFleet } from '../support/fleet.ts';
import { modelServer } from '../support/model-server.ts';

/** Longer than the failure timeout: each pause has the worker failed. */
const PAUSED_MS = 7_000;
/** Much shorter than an item: none would ever end in it. */
const AWAKE_MS = 4_000;
const ITEM_MS = 12_000;

test('L44: a worker that stands still for 7 s in every 11 s ends its 12 s items, each executed once', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: ITEM_MS }));
  const fleet = await startFleet(t, [server], { items: 4, concurrency: 2 });
  const worker = fleet.worker('w1');
  while (!fleet.coordinator.hasExited()) {
    await sleep(AWAKE_MS);
    worker.signal('SIGSTOP');
    await sleep(PAUSED_MS);
    worker.signal('SIGCONT');
  }
  await checkFleet(t, fleet, 1_000);
  t.is(await worker.exited, 0, worker.stderr());
  t.true(fleet.eventsOf('w1', 'worker_failed').length >= 2, 'it was failed again and again');
  t.deepEqual(server.repeated(), []);
  t.is(server.total(), 4);
});
