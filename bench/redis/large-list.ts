import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';
import { until } from '../../test/support/until.ts';
import type { Figures, Measurement, Part, Round } from '../contract.ts';
import { thousands } from '../end-to-end.ts';
import { requireResults } from '../items.ts';
import { LARGE, watchRss } from '../large-list.ts';
import { earlyFigures, MIB, type RssSample } from '../memory.ts';
import { LONGEST_WAIT_MS, measured, type Started } from '../processes.ts';
import { foundBySuccessor, servedMoreThan } from '../restart.ts';
import { servingIn, startRollout, stateDirOf } from '../rollout.ts';
import { bytesOfRun } from './run-bytes.ts';
import { startRedis } from './server.ts';

/** Of the list: a successor has then nearly all of the log to compare. */
const KILLED_AT = 0.9;

/** A list far longer than memory, its ledger on Redis: what server and coordinator need for it, and how long a start and a restart take. */
export const largeOnRedis: Part = {
  name: 'large-redis',
  mostRounds: 1,
  measure: async (round) => {
    const server = await startRedis();
    try {
      return await measureLarge(round, server.port);
    } finally {
      await server.remove();
    }
  },
};

async function measureLarge(round: Round, port: number): Promise<readonly Measurement[]> {
  const { large: items, workers } = round.sizes;
  const input = round.input(items, LARGE.lineBytes);
  const output = join(round.newDir(), 'out.jsonl');
  const state = stateDirOf(output);
  const samples: RssSample[] = [];
  const seen: { start: number | null; restart: number | null } = { start: null, restart: null };
  const run = await measured(async () => {
    const size = { workers, ...LARGE.run };
    const started = startRollout({ input, output, ...size, redis: `redis://127.0.0.1:${port}` });
    seen.start = await secondsUntil(started, () => servedMoreThan(state, 0));
    await watchRss(started, state, samples, items * KILLED_AT);
    const killed = servingIn(state)?.pid ?? 0;
    if (!started.hasEnded()) process.kill(killed, 'SIGKILL');
    seen.restart = await secondsUntil(started, () => servedMoreThan(state, foundBySuccessor(state), killed));
    await watchRss(started, state, samples, Number.POSITIVE_INFINITY);
    await started.ended;
  });
  requireResults(output, items);
  const list = `${thousands(items)} items of ${LARGE.lineBytes} bytes, ledger on Redis`;
  const measurement = (what: string, figures: Figures): Measurement => ({
    ...{ subject: 'rollout', load: `${list}: ${what}`, figures, foreignCores: run.foreignCores },
  });
  const memory = { ...earlyFigures(samples, items), peakRssMiB: Math.max(0, ...samples.map(({ rss }) => rss)) / MIB };
  const redisBytesPerItem = (await bytesOn(port, state)) / items;
  const ran = { itemsPerSecond: items / run.seconds, cpuUsPerItem: (run.cpuMs * 1_000) / items };
  return [
    ...(seen.start === null ? [] : [measurement('from the command to the first record', { seconds: seen.start })]),
    ...(seen.restart === null
      ? []
      : [measurement('kill -9 of the coordinator at nine tenths, until the next record', { seconds: seen.restart })]),
    measurement('run, start-up and restart included', { ...ran, ...memory, redisBytesPerItem }),
  ];
}

/** Null: the run was over before, as a short one may be. */
async function secondsUntil(started: Started, ask: () => Promise<number | undefined>): Promise<number | null> {
  const beganMs = performance.now();
  const isThere = await until('an item is recorded', LONGEST_WAIT_MS, async () => {
    if ((await ask()) !== undefined) return { is: true };
    return started.hasEnded() ? { is: false } : undefined;
  });
  return isThere.is ? (performance.now() - beganMs) / 1_000 : null;
}

async function bytesOn(port: number, state: string): Promise<number> {
  const { runId } = JSON.parse(readFileSync(join(state, 'run.json'), 'utf8')) as { readonly runId: string };
  const client = new Redis({ host: '127.0.0.1', port });
  try {
    return await bytesOfRun(client, runId);
  } finally {
    client.disconnect();
  }
}
