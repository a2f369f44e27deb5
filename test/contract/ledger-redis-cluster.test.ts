import test from 'ava';
import { redisClusterOf } from '../support/redis-cluster.ts';
import { ledgerSuite } from './ledger.suite.ts';

const cluster = await redisClusterOf(test);

ledgerSuite(test, async (t) => {
  const ledger = await cluster.open(cluster.newRun());
  t.teardown(() => ledger.dispose());
  return ledger;
});
