import { join } from 'node:path';
import { until } from '../test/support/until.ts';
import type { Part } from './contract.ts';
import { LINE_BYTES } from './peers.ts';
import { cpuMsOf, LONGEST_WAIT_MS, measured } from './processes.ts';
import { eventsIn, startRollout, stateDirOf } from './rollout.ts';

/** From the command to the first worker that is registered. */
export const start: Part = {
  name: 'start',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const output = join(round.newDir(), 'out.jsonl');
    const { workers } = round.sizes;
    const run = { input: round.input(1, LINE_BYTES), output, workers, concurrency: 64, latencyMs: 0, spreadMs: 0 };
    const [seen, beganMs] = [{ seconds: 0, cpuSeconds: 0 }, performance.now()];
    const { foreignCores } = await measured(async () => {
      const started = startRollout(run);
      await until('a worker is registered', LONGEST_WAIT_MS, () => (isRegistered(stateDirOf(output)) ? true : undefined));
      seen.seconds = (performance.now() - beganMs) / 1_000;
      seen.cpuSeconds = cpuMsOf(started.pid) / 1_000;
      await started.ended;
    });
    return [{ subject: 'rollout', load: `start: ${workers} workers, until the first is registered`, figures: seen, foreignCores }];
  },
};

function isRegistered(stateDir: string): boolean {
  return eventsIn(stateDir).some(({ kind }) => kind === 'worker_registered');
}
