import test from 'ava';
import { InlineRun } from '../support/inline-run.ts';
import { redisClusterOf } from '../support/redis-cluster.ts';
import { resultsSuite } from './results.suite.ts';

const cluster = await redisClusterOf(test);

resultsSuite(test, async (t) => {
  const run = new InlineRun(cluster, cluster.newRun());
  t.teardown(() => run.close());
  return { runId: run.runId, hold: async (epoch) => (await run.hold(epoch)).place };
});
