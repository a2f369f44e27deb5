import type { Measurement, Part, Round, Subject } from './contract.ts';
import { BATCHED, LINE_BYTES, type ListRun, runList, SUBJECTS } from './peers.ts';
import { beyondStartUp } from './statistics.ts';

/** One that runs, and one that waits for it: the bare path counts both. */
const ONE = { inFlight: { rollout: 1, bare: 2, bullmq: 1 }, prefetch: 1 } as const;

/** Lists of items that are answered at once. */
export const endToEnd: Part = {
  name: 'end-to-end',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    for (const items of round.sizes.endToEnd) {
      const load = `${thousands(items)} items of ${LINE_BYTES} bytes`;
      for (const subject of SUBJECTS)
        measurements.push(await measureList(round, subject, load, { items, lineBytes: LINE_BYTES, inFlight: BATCHED }));
    }
    return measurements;
  },
};

/** One slot per worker, and one item that waits for it, as the bare path has. A job of BullMQ is fetched when the one before has ended. */
export const oneByOne: Part = {
  name: 'one-by-one',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    const load = `one by one, ${round.sizes.workers} workers`;
    for (const subject of SUBJECTS)
      measurements.push(await measureList(round, subject, load, { items: round.sizes.oneByOne, lineBytes: LINE_BYTES, ...ONE }));
    return measurements;
  },
};

export async function measureList(round: Round, subject: Subject, load: string, list: ListRun): Promise<Measurement> {
  // Settings files start other processes than the command does, and a server is asked before the first item.
  const isAlike = subject !== 'rollout' || (list.prefetch === undefined && list.redis === undefined);
  const startUp = await (isAlike ? round.startUp(subject) : runList(subject, round, { ...list, items: 1 }));
  const run = await runList(subject, round, list);
  const foreignCores = Math.max(startUp.foreignCores, run.foreignCores);
  const whole = { wholeSeconds: run.seconds, wholeCpuSeconds: run.cpuMs / 1_000 };
  return { subject, load, figures: { ...beyondStartUp(run, startUp, list.items), ...whole }, foreignCores };
}

export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
