import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisServer } from './redis-server.ts';
import type { Standalone } from './standalone.ts';

/** The run of all hosts. */
export const HOSTS_RUN_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** A coordinator's settings on a host that shares nothing with others but the Redis server. */
export interface HostSettings {
  readonly [setting: string]: unknown;
  readonly output: string;
  readonly stateDir: string;
}

/** Each host has its own copy of the list, state directory and output. */
export function hostSettings(run: Standalone, name: string, redis: RedisServer): HostSettings {
  const input = join(run.dir, `${name}.in.jsonl`);
  writeFileSync(input, readFileSync(run.input));
  const output = join(run.dir, `${name}.jsonl`);
  const store = { redis: redis.url };
  return { runId: HOSTS_RUN_ID, input, output, stateDir: join(run.dir, `${name}.state`), store, results: { place: 'inline' } };
}
