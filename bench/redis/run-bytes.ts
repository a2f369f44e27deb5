import type { Redis } from 'ioredis';
import { keysOf } from '../../runtime/ledger/redis/keys.ts';

/** What the server has in memory of a run. */
export async function bytesOfRun(client: Redis, runId: string): Promise<number> {
  const sizes = await Promise.all(keysOf(runId).map((key) => client.memory('USAGE', key)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}
