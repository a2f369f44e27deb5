import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../test/support/until.ts';
import type { Figures, Part } from './contract.ts';
import { thousands } from './end-to-end.ts';
import { requireResults } from './items.ts';
import { earlyFigures, type MemoryReport, memoryFigures, parseRssBytes, type RssSample, readMemory } from './memory.ts';
import { LONGEST_WAIT_MS, measured, type Started, startNode } from './processes.ts';
import { doneOf, servingIn, startRollout, stateDirOf, textIfThere } from './rollout.ts';

/** Lines so short that ten million of them and their results fit on a disk of 20 GB, answered at once. */
export const LARGE = { lineBytes: 200, run: { concurrency: 64, latencyMs: 0, spreadMs: 0 } } as const;
const LOOK_MS = 500;

/** A list far longer than memory: what its index takes, how fast it runs, and how much memory the coordinator has at most. */
export const largeList: Part = {
  name: 'large-list',
  mostRounds: 1,
  measure: async (round) => {
    const { large: items, workers } = round.sizes;
    const input = round.input(items, LARGE.lineBytes);
    const [output, reports] = [join(round.newDir(), 'out.jsonl'), round.newDir()];
    const checked = await measured(() => startNode('runtime/cli.js', ['run', input, '--output', output, '--dry-run']).ended);
    const samples: RssSample[] = [];
    let report: MemoryReport | undefined;
    const run = await measured(async () => {
      const started = startRollout({ input, output, workers, ...LARGE.run }, probe(reports));
      const serving = await until('the coordinator serves', LONGEST_WAIT_MS, () => servingIn(stateDirOf(output)));
      await watchRss(started, stateDirOf(output), samples, Number.POSITIVE_INFINITY);
      await started.ended;
      report = readMemory(reports, serving.pid);
    });
    requireResults(output, items);
    const list = `${thousands(items)} items of ${LARGE.lineBytes} bytes`;
    const index: Figures = { seconds: checked.seconds, cpuSeconds: checked.cpuMs / 1_000 };
    const ran: Figures = { itemsPerSecond: items / run.seconds, cpuUsPerItem: (run.cpuMs * 1_000) / items };
    return [
      { subject: 'rollout', load: `${list}: checked and indexed (--dry-run)`, figures: index, foreignCores: checked.foreignCores },
      {
        subject: 'rollout',
        load: `${list}: run, start-up included`,
        figures: { ...ran, ...earlyFigures(samples, items), ...memoryFigures(report) },
        foreignCores: run.foreignCores,
      },
    ];
  },
};

/** Until so many items are recorded, or the run is over. */
export async function watchRss(started: Started, state: string, samples: RssSample[], upTo: number): Promise<void> {
  for (let done = 0; done < upTo && !started.hasEnded(); await sleep(LOOK_MS)) {
    const serving = servingIn(state);
    if (serving === undefined) continue;
    done = (await doneOf(serving)) ?? done;
    samples.push({ done, rss: parseRssBytes(textIfThere(`/proc/${serving.pid}/status`) ?? '') });
  }
}

/** Every process of the run then says how much memory it has. */
function probe(dir: string): Readonly<Record<string, string>> {
  const path = fileURLToPath(new URL('memory-probe.ts', import.meta.url));
  return { NODE_OPTIONS: `--import=${path}`, ROLLOUT_BENCH_MEMORY: dir };
}
