import test, { type ExecutionContext } from 'ava';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { keyOf, keysOf } from '../../runtime/ledger/redis/keys.ts';
import { settle } from '../support/commit-parts.ts';
import { claimed, outcome, scanned, start } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';

/** What a run takes of its server: of its memory, and of its time. */

const server = await redisServerOf(test);

async function opened(t: ExecutionContext, runId: string): Promise<Ledger> {
  const ledger = await server.open(runId);
  t.teardown(() => ledger.dispose());
  return ledger;
}

test('a commit above the bound of one script is cut, and all of it is done', async (t) => {
  const ledger = await opened(t, server.newRun());
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 5_000 }]);
  const outcomes = Array.from({ length: 5_000 }, (_, index) => outcome(index, 1, 0, index % 2 === 0));
  const reply = await settle(ledger, 0, 'w1', outcomes);
  t.true(reply.kind === 'settled' && reply.verdicts.length === 5_000 && reply.verdicts.every((one) => one === 'accepted'));
  t.like(await scanned(ledger, 0), { progress: { done: 2_500, failed: 2_500, running: 0 }, running: [] });
});

test('a settled item takes less than a byte, and nothing is kept of what is no longer in flight', async (t) => {
  const redis = server.client();
  const runId = server.newRun();
  const ledger = await opened(t, runId);
  await start(ledger);
  const [items, batch] = [200_000, 2_000];
  for (let cursor = 0; cursor < items; cursor += batch) {
    await claimed(ledger, 0, 'w1', [{ cursor, count: batch }]);
    const outcomes = Array.from({ length: batch }, (_, n) => outcome(cursor + n, 1, 0, n % 10 !== 0));
    const reply = await settle(ledger, 0, 'w1', outcomes);
    if (reply.kind !== 'settled' || reply.verdicts.some((one) => one !== 'accepted')) return t.fail(JSON.stringify(reply).slice(0, 200));
  }
  let bytes = 0;
  for (const key of keysOf(runId)) bytes += (await redis.call('MEMORY', 'USAGE', key)) as number;
  t.true(bytes / items < 1, `${bytes / items} bytes for a settled item`);
  t.deepEqual([await redis.exists(keyOf(runId, 'open')), await redis.exists(keyOf(runId, 'items'))], [0, 0]);
  t.log(`${(bytes / items).toFixed(2)} bytes for each of ${items} settled items`);
});
