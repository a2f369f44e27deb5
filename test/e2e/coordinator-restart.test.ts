import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { testStore } from '../support/test-store.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const KILLS_PER_RUN = 10;
/** About twenty-five a second. */
const ITEMS = 800;
const LATENCY_MS = 300;

for (const [round, kind] of (['embedded', 'embedded', 'redis'] as const).entries()) {
  test(`coord_restart_no_duplicates (${kind}): kill -9 of the coordinator at ${KILLS_PER_RUN} random points, round ${round + 1} (L37)`, async (t) => {
    t.timeout(300_000);
    const random = testRandom(t);
    const store = await testStore(t, kind);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
    const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '4', ...store.args];
    const run = makeRun(t, { lines: batchLines(ITEMS), args });
    const command = run.start();
    await until('the first item is executed', PATIENCE_MS, () => server.total() > 0);
    const workersBefore = run.workers();
    for (let kills = 0; kills < KILLS_PER_RUN; kills += 1) {
      await sleep(between(random, 0, 1_500));
      t.false(command.hasExited(), 'the run was killed mid-run, not at its end');
      const killed = await run.killCoordinator();
      await until('another coordinator process', PATIENCE_MS, () => run.coordinator() !== undefined && run.coordinator() !== killed);
    }
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    t.deepEqual(
      run.results().map((line) => line.custom_id),
      [...itemIds(ITEMS)],
      'in input order',
    );
    t.deepEqual(server.repeated(), [], 'nothing that a live worker held was executed again');
    t.is(server.total(), ITEMS);
    const failed = run.events().filter((event) => event['kind'] === 'worker_failed');
    t.deepEqual(failed, [], 'no live worker was failed');
    t.is(workersBefore.length, 2);
  });
}
