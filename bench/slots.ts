import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement, Part, Round } from './contract.ts';
import { LINE_BYTES } from './peers.ts';
import { measured } from './processes.ts';
import { doneOf, servingIn, startRollout, stateDirOf } from './rollout.ts';
import type { SlotsLoad } from './sizes.ts';
import { busyShare, type Sample } from './steady-state.ts';

const LOOK_MS = 100;
/** What all slots began with at once has spread after so many of the longest items. */
const RAMP_ITEMS = 3;

/** Items that take their time: how many of the slots are busy between the beginning and the end of the run. */
export const slots: Part = {
  name: 'slots',
  mostRounds: Number.POSITIVE_INFINITY,
  measure: async (round) => [await measureSlots(round, round.sizes.shortItems), await measureSlots(round, round.sizes.longItems)],
};

async function measureSlots(round: Round, load: SlotsLoad): Promise<Measurement> {
  const [input, output] = [round.input(load.items, LINE_BYTES), join(round.newDir(), 'out.jsonl')];
  const samples: Sample[] = [];
  const run = await measured(async () => {
    const started = startRollout({ ...load, input, output });
    while (!started.hasEnded()) {
      const serving = servingIn(stateDirOf(output));
      const done = serving === undefined ? undefined : await doneOf(serving);
      if (done !== undefined) samples.push({ ms: performance.now(), done });
      await sleep(LOOK_MS);
    }
    await started.ended;
  });
  const { workers, concurrency, items, latencyMs, spreadMs } = load;
  const [count, meanMs] = [workers * concurrency, latencyMs + spreadMs / 2];
  const share = busyShare(samples, { slots: count, items, meanMs, rampMs: RAMP_ITEMS * (latencyMs + spreadMs) });
  const whole = { wholeSeconds: run.seconds, wholeCpuSeconds: run.cpuMs / 1_000 };
  const figures = { ...whole, cpuUsPerItem: (run.cpuMs * 1_000) / items, ...(share === null ? {} : { busyPercent: share * 100 }) };
  return { subject: 'rollout', load: describe(load), figures, foreignCores: run.foreignCores };
}

function describe({ workers, concurrency, latencyMs, spreadMs }: SlotsLoad): string {
  const time = spreadMs === 0 ? `${latencyMs} ms` : `${latencyMs / 1_000} to ${(latencyMs + spreadMs) / 1_000} s`;
  return `items of ${time}, ${workers} workers with ${concurrency} slots each`;
}
