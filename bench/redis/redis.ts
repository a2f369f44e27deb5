import { Redis } from 'ioredis';
import { systemRandom } from '../../runtime/base/random.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import type { RedisProcess } from '../../test/support/redis-process.ts';
import type { Measurement, Part, Round } from '../contract.ts';
import { measureList, thousands } from '../end-to-end.ts';
import { begin, work, workText } from '../ledger.ts';
import { BATCHED, LINE_BYTES } from '../peers.ts';
import { measured } from '../processes.ts';
import { bareScripts } from './bare-scripts.ts';
import { bytesOfRun } from './run-bytes.ts';
import { startRedis } from './server.ts';

const RUN_ID = 'bench';

/** The ledger on a Redis server, beside the least that scripts could do there, and beside the queue that lives there. */
export const redis: Part = {
  name: 'redis',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const server = await startRedis();
    try {
      return [...(await ledgerAlone(round, server)), ...(await endToEnd(round, server))];
    } finally {
      await server.remove();
    }
  },
};

async function ledgerAlone({ sizes }: Round, { port }: RedisProcess): Promise<readonly Measurement[]> {
  const items = sizes.ledger;
  const load = `ledger alone on Redis: ${workText(items)}`;
  const onError = (error: Error): never => {
    throw error;
  };
  const opened = await openRedisLedger({ runId: RUN_ID, redis: { host: '127.0.0.1', port }, random: systemRandom, onError });
  await begin(opened);
  const own = await measured(() => work(opened, items));
  await opened.dispose();
  const client = new Redis({ host: '127.0.0.1', port });
  const redisBytesPerItem = (await bytesOfRun(client, RUN_ID)) / items;
  const bare = await measured(() => bareScripts(client, items));
  client.disconnect();
  const figuresOf = ({ seconds, cpuMs, benchCpuMs }: typeof own): Measurement['figures'] => ({
    itemsPerSecond: items / seconds,
    cpuUsPerItem: ((cpuMs + benchCpuMs) * 1_000) / items,
  });
  return [
    { subject: 'rollout', load, figures: { ...figuresOf(own), redisBytesPerItem }, foreignCores: own.foreignCores },
    { subject: 'bare', load, figures: figuresOf(bare), foreignCores: bare.foreignCores },
  ];
}

async function endToEnd(round: Round, { port }: RedisProcess): Promise<readonly Measurement[]> {
  const items = Math.max(...round.sizes.endToEnd);
  const load = `${thousands(items)} items of ${LINE_BYTES} bytes, ledger on Redis`;
  const list = { items, lineBytes: LINE_BYTES, inFlight: BATCHED, redis: `redis://127.0.0.1:${port}` };
  const rollout = await measureList(round, 'rollout', load, list);
  return [rollout, await measureList(round, 'bullmq', load, list)];
}
