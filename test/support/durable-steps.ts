/**
 * Everything that has to be on disk before this project says so, once each, between two lines on stdout: what the system was asked to
 * do meanwhile is for the test to see. `node durable-steps.ts <dir>`
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { systemClock } from '../../runtime/base/clock.ts';
import { ownProcess } from '../../runtime/base/process/process-identity.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { openOutbox } from '../../runtime/worker/outbox/open.ts';
import { createdLog } from './created-log.ts';
import { outcome, ref } from './worker-state.ts';

const [dir = ''] = process.argv.slice(2);

async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  writeSync(1, `begin ${name}\n`);
  const done = await run();
  writeSync(1, `end ${name}\n`);
  return done;
}

const own = await ownProcess();
const outbox = await openOutbox({
  dir: join(dir, 'outbox'),
  workerId: 'w1',
  runId: 'run',
  waitForDiskSpace: async () => false,
});
await step('outbox put', () => outbox.put([outcome(1), outcome(2)]));
await step('outbox keep epoch', () => outbox.keepEpoch(3));
await step('outbox forget', () => outbox.forget([ref(1)]));
await outbox.close();

const ledger = await openEmbeddedLedger({ dir: join(dir, 'store'), clock: systemClock });
const request = { holder: 'h', process: own, address: 'here:1', expected: null, grounds: null, ttlMs: 60_000, floor: -1 };
await step('ledger acquire', () => ledger.acquire(request));
await step('ledger register', () =>
  ledger.register({ epoch: 0, serial: 1 }, 'w1', { bootNonce: 'n', pid: 1, concurrency: 1, registeredAtMs: 0 }),
);
await ledger.dispose();

const log = await createdLog(directoryPlace(join(dir, 'segments')), 0, { placeId: 'place' });
await step('log append', () => log.append([{ index: 1, attempt: 1, kind: 'result', line: Buffer.from('{}') }]));
await log.close();
