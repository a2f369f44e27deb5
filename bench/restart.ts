import { join } from 'node:path';
import process from 'node:process';
import { until } from '../test/support/until.ts';
import type { Part } from './contract.ts';
import { LINE_BYTES } from './peers.ts';
import { LONGEST_WAIT_MS, measured } from './processes.ts';
import { doneOf, eventsIn, servingIn, startRollout, stateDirOf } from './rollout.ts';

/** Enough that most are still to do when the coordinator is killed, on a machine that is much faster. */
const ITEMS_PER_DONE = 10;
const CONCURRENCY = 64;
const LATENCY_MS = 50;

/** From kill -9 of the coordinator until its successor has recorded a further item. */
export const restart: Part = {
  name: 'restart',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const { doneBeforeKill, workers } = round.sizes;
    const [input, output] = [round.input(doneBeforeKill * ITEMS_PER_DONE, LINE_BYTES), join(round.newDir(), 'out.jsonl')];
    const state = stateDirOf(output);
    const seen = { seconds: 0 };
    const { foreignCores } = await measured(async () => {
      const run = startRollout({ input, output, workers, concurrency: CONCURRENCY, latencyMs: LATENCY_MS, spreadMs: 0 });
      const killed = await until('enough items are done', LONGEST_WAIT_MS, () => servedMoreThan(state, doneBeforeKill));
      process.kill(killed, 'SIGKILL');
      const killedMs = performance.now();
      await until('the successor has recorded an item', LONGEST_WAIT_MS, () => servedMoreThan(state, foundBySuccessor(state), killed));
      seen.seconds = (performance.now() - killedMs) / 1_000;
      await run.interrupt();
    });
    return [{ subject: 'rollout', load: 'kill -9 of the coordinator, until the next item is recorded', figures: seen, foreignCores }];
  },
};

/** Its process, once it has recorded more than `done` items; `before` is the one that does not count. */
export async function servedMoreThan(stateDir: string, done: number, before?: number): Promise<number | undefined> {
  const serving = servingIn(stateDir);
  if (serving === undefined || serving.pid === before) return undefined;
  const now = await doneOf(serving);
  return now !== undefined && now > done ? serving.pid : undefined;
}

/** What the successor found recorded; more than anything as long as it has not said so. */
export function foundBySuccessor(stateDir: string): number {
  const [, second] = eventsIn(stateDir).filter(({ kind }) => kind === 'run_started');
  return second === undefined ? Number.POSITIVE_INFINITY : Number(second['done']);
}
