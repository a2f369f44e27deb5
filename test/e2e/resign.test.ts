import { join } from 'node:path';
import test from 'ava';
import { openLedgerReadOnly } from '../../runtime/ledger/embedded/ledger.ts';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ROUNDS = 8;
/** More than all rounds record. */
const ITEMS = 60_000;

test('L42: a coordinator that is told to end while outcomes stream in resigns: it ends with 130 and is not fenced', async (t) => {
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: '', concurrency: 64 });
  const start = (): ReturnType<typeof run.startCoordinator> => run.startCoordinator('c1', port);
  let coordinator = start();
  await leaseEpoch(coordinator, PATIENCE_MS);
  for (const name of ['w1', 'w2']) run.startWorker(name, [port], { backend: { type: 'mock', latency: '2ms' } });
  for (let round = 0; round < ROUNDS; round += 1) {
    const epoch = await leaseEpoch(coordinator, PATIENCE_MS);
    t.is(epoch, round, 'each resignation is followed by the next epoch');
    const before = await recordedIn(run.state);
    await until(`outcomes are recorded in round ${round}`, PATIENCE_MS, async () => (await recordedIn(run.state)) > before + 200);
    coordinator.signal('SIGTERM');
    t.is(await exitOf(coordinator, PATIENCE_MS), 130, coordinator.stderr());
    t.false(
      printedEvents(coordinator).some((event) => event['kind'] === 'coordinator_fenced'),
      'nobody has taken it over',
    );
    t.notRegex(coordinator.stderr(), /taken the run over|watchdog/);
    coordinator = start();
  }
  coordinator.signal('SIGTERM');
});

async function recordedIn(state: string): Promise<number> {
  const ledger = await openLedgerReadOnly(join(state, 'store'));
  try {
    return (await ledger.progress()).done;
  } finally {
    await ledger.dispose();
  }
}
