import test from 'ava';
import { redisServerOf } from '../support/redis-server.ts';
import { paritySuite } from './ledger.suite.ts';

const server = await redisServerOf(test, ['--appendfsync', 'no']);

/** `PARITY_RUNS=10000` for a long one. */
const RUNS = Number(process.env['PARITY_RUNS'] ?? 150);

paritySuite(test, 'Redis', RUNS, async (compareWith) => {
  const ledger = await server.open(server.newRun());
  try {
    await compareWith(ledger);
  } finally {
    await ledger.dispose();
  }
});
