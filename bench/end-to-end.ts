import type { Measurement, Part, Round, Subject } from './contract.ts';
import { BATCHED, LINE_BYTES, type ListRun, runList, SUBJECTS } from './peers.ts';
import { beyondStartUp } from './statistics.ts';

/** The bare path holds two, one that runs and one that waits; Rollout has no setting for that in `rollout run`. */
const ONE: ListRun['inFlight'] = { rollout: 1, bare: 2, bullmq: 1 };

/** Lists of items that are answered at once. */
export const endToEnd: Part = {
  name: 'end-to-end',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    for (const items of round.sizes.endToEnd) {
      const load = `${thousands(items)} items of ${LINE_BYTES} bytes`;
      for (const subject of SUBJECTS) measurements.push(await measureList(round, subject, load, items, BATCHED));
    }
    return measurements;
  },
};

/** One slot per worker. What is not alike: Rollout holds as many items ready as its window says, and gathers their outcomes. */
export const oneByOne: Part = {
  name: 'one-by-one',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    const load = `one slot per worker (Rollout holds more items ready), ${round.sizes.workers} workers`;
    for (const subject of SUBJECTS) measurements.push(await measureList(round, subject, load, round.sizes.oneByOne, ONE));
    return measurements;
  },
};

async function measureList(
  round: Round,
  subject: Subject,
  load: string,
  items: number,
  inFlight: ListRun['inFlight'],
): Promise<Measurement> {
  const startUp = await round.startUp(subject);
  const run = await runList(subject, round, { items, lineBytes: LINE_BYTES, inFlight });
  const foreignCores = Math.max(startUp.foreignCores, run.foreignCores);
  const whole = { wholeSeconds: run.seconds, wholeCpuSeconds: run.cpuMs / 1_000 };
  return { subject, load, figures: { ...beyondStartUp(run, startUp, items), ...whole }, foreignCores };
}

export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
