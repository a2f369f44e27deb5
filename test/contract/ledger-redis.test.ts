import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { RedisServer } from '../support/redis-server.ts';
import { ledgerSuite } from './ledger.suite.ts';

const dir = await mkdtemp(join(tmpdir(), 'rollout-redis-'));
const server = await RedisServer.start(dir);
let runs = 0;

test.after.always(async () => {
  await server.kill();
  await rm(dir, { recursive: true, force: true });
});

ledgerSuite(test, async (t) => {
  runs += 1;
  const ledger = await server.open(`run-${runs}`);
  t.teardown(() => ledger.dispose());
  return ledger;
});
