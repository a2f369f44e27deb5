import test from 'ava';
import { InlineRun } from '../support/inline-run.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { resultsSuite } from './results.suite.ts';

const server = await redisServerOf(test);

resultsSuite(test, async (t) => {
  const run = new InlineRun(server, server.newRun());
  t.teardown(() => run.close());
  return { runId: run.runId, hold: async (epoch) => (await run.hold(epoch)).place };
});
