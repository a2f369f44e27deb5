import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { RedisServer } from '../support/redis-server.ts';
import { paritySuite } from './ledger.suite.ts';

const dir = await mkdtemp(join(tmpdir(), 'rollout-parity-'));
const server = await RedisServer.start(dir, ['--appendfsync', 'no']);
let runs = 0;

test.after.always(async () => {
  await server.kill();
  await rm(dir, { recursive: true, force: true });
});

/** `PARITY_RUNS=10000` for a long one. */
const RUNS = Number(process.env['PARITY_RUNS'] ?? 150);

paritySuite(test, 'Redis', RUNS, async (compareWith) => {
  runs += 1;
  const ledger = await server.open(`run-${runs}`);
  try {
    await compareWith(ledger);
  } finally {
    await ledger.dispose();
  }
});
