import type { Measurement, Part, Round, Subject } from './contract.ts';
import { BATCHED, LINE_BYTES, type ListRun, runList, SUBJECTS } from './peers.ts';
import { beyondStartUp } from './statistics.ts';

/** What one item in flight is for the bare path: as many as the product's worker holds, one that runs and one that waits. */
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

/** How fast one item follows the other where nothing can be gathered. */
export const oneByOne: Part = {
  name: 'one-by-one',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    const load = `one item in flight per worker, ${round.sizes.workers} workers`;
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
