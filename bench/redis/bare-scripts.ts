import type { Redis } from 'ioredis';
import { BATCH } from '../ledger.ts';

/**
 * The least that a script could do for a batch: it settles the items of the last one and claims those of the next. One bit tells that an
 * item is done, one field who has it; nothing is checked.
 */
const SCRIPT = `
local from, count, settled = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
for index = from - settled, from - 1 do
  redis.call('SETBIT', KEYS[1], index, 1)
end
if settled > 0 then redis.call('HDEL', KEYS[2], from - settled) end
if count > 0 then redis.call('HSET', KEYS[2], from, ARGV[4]) end
return redis.call('HINCRBY', KEYS[3], 'writes', 1)
`;

/** Claims and settles `items` items, a batch in each round trip. */
export async function bareScripts(client: Redis, items: number): Promise<void> {
  const sha = String(await client.script('LOAD', SCRIPT));
  for (let [from, settled] = [0, 0]; from < items || settled > 0; ) {
    const count = Math.min(BATCH, items - from);
    await client.evalsha(sha, 3, '{bare}:done', '{bare}:claims', '{bare}:head', from, count, settled, 'w1');
    [from, settled] = [from + count, count];
  }
}
