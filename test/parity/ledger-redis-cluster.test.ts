import test from 'ava';
import { redisClusterOf } from '../support/redis-cluster.ts';
import { paritySuite } from './ledger.suite.ts';

const cluster = await redisClusterOf(test, { settings: ['--appendfsync', 'no'] });

/** As many runs as on a server by itself would show nothing more: the scripts are the same. */
const RUNS = Number(process.env['PARITY_RUNS'] ?? 50);

paritySuite(test, 'Redis Cluster', RUNS, async (compareWith) => {
  const ledger = await cluster.open(cluster.newRun());
  try {
    await compareWith(ledger);
  } finally {
    await ledger.dispose();
  }
});
