import type { Redis } from 'ioredis';
import { addressText, type ServerAddress } from '../../model/redis-url.ts';
import { askServer } from './ask-server.ts';
import { isServerWord } from './client-error.ts';
import { fieldsOf } from './findings.ts';
import { quorumWords, type ServerGroup } from './group-findings.ts';
import { keyOf } from './keys.ts';
import type { SentinelGroup, ServerOptions } from './primary.ts';
import { redirected } from './redirection.ts';

/** So many runs come to be on every primary of a Cluster that one meets in practice. */
const RUNS: readonly string[] = Array.from({ length: 500 }, (_, n) => `doctor-${n}`);

/** The group of servers that a URL means, and a run for each server on which one may come to be. */
export interface Spread {
  readonly group: ServerGroup;
  readonly runIds: readonly string[];
}

/** `info`: of the server that has the first of these runs. */
export async function spreadOf(options: ServerOptions, info: string): Promise<Spread> {
  const [one = ''] = RUNS;
  if (options.sentinel !== undefined) return { group: await sentinelsOf(options.sentinel), runIds: [one] };
  if (fieldsOf(info).get('cluster_enabled') !== '1') return { group: { kind: 'alone' }, runIds: [one] };
  const { seeds = [] } = options;
  for (const seed of seeds) {
    const runIds = await askServer(options, seed, (node) => runIdPerPrimary(node, seed)).catch(() => []);
    if (runIds.length > 0) return { group: { kind: 'cluster', named: seeds.length, primaries: runIds.length }, runIds };
  }
  return { group: { kind: 'cluster', named: seeds.length, primaries: 1 }, runIds: [one] };
}

async function runIdPerPrimary(node: Redis, seed: ServerAddress): Promise<readonly string[]> {
  const said = await Promise.all(
    RUNS.map((runId) =>
      node.hget(keyOf(runId, 'head'), '').then(
        () => '',
        (error: Error) => error.message,
      ),
    ),
  );
  const byPrimary = new Map(said.map((one, n) => [addressText(redirected(one, seed) ?? seed), RUNS[n] ?? '']));
  return [...byPrimary.values()];
}

async function sentinelsOf({ sentinels, name, options }: SentinelGroup): Promise<ServerGroup> {
  const asked = await Promise.all(
    sentinels.map((one) =>
      askServer(options, one, async (sentinel) => String(await sentinel.call('SENTINEL', 'CKQUORUM', name))).catch((error: Error) => error),
    ),
  );
  const answering = asked.filter((one) => !(one instanceof Error) || isServerWord(one)).length;
  return { kind: 'sentinel', named: sentinels.length, answering, said: quorumWords(asked) };
}
