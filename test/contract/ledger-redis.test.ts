import test from 'ava';
import { redisServerOf } from '../support/redis-server.ts';
import { ledgerSuite } from './ledger.suite.ts';

const server = await redisServerOf(test);

ledgerSuite(test, async (t) => {
  const ledger = await server.open(server.newRun());
  t.teardown(() => ledger.dispose());
  return ledger;
});
