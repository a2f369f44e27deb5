import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HerdReport } from '../test/support/herd-process.ts';
import { until } from '../test/support/until.ts';
import { coordinatorSettings } from './by-settings.ts';
import type { Measurement, Part, Round } from './contract.ts';
import { thousands } from './end-to-end.ts';
import { LINE_BYTES } from './peers.ts';
import { cpuMsOf, LONGEST_WAIT_MS, measured, type Started, startNode } from './processes.ts';
import { type Serving, servingIn } from './rollout.ts';

/** Each of the simulated workers may hold so many items; with as many in the list none of them waits for more. */
const HELD = 2;
/** A process of simulated workers uses as much of a core as several hundred real ones have many for. */
const MOST_IN_PROCESS = 500;

/**
 * Workers that hold items which do not end: all that the coordinator does is to know that they live. A thousand processes would not fit in
 * memory, so that each of a few processes has many workers: the loop, the clients, the connections and the sender of beats of a worker,
 * without its threads.
 */
export const idle: Part = {
  name: 'idle',
  mostRounds: 2,
  measure: async (round) => {
    const measurements: Measurement[] = [];
    for (const workers of round.sizes.idleWorkers) measurements.push(await measureIdle(round, workers));
    return measurements;
  },
};

async function measureIdle(round: Round, workers: number): Promise<Measurement> {
  const dir = round.newDir();
  const run = { input: round.input(HELD * workers + 1, LINE_BYTES), output: join(dir, 'out.jsonl') };
  const coordinator = startNode('runtime/coordinator.js', ['--config', coordinatorSettings(dir, run)]);
  const herds: Started[] = [];
  try {
    const serving = await until('the coordinator serves', LONGEST_WAIT_MS, () => endIfOver(coordinator) ?? servingIn(join(dir, 'state')));
    herds.push(...startHerds(dir, serving, workers));
    await until('all workers hold items', LONGEST_WAIT_MS, () =>
      isEveryoneIdle(herds, workers) ? true : endIfOver(coordinator, ...herds),
    );
    await sleep(round.sizes.idleSettleMs);
    const beforeMs = cpuMsOf(coordinator.pid);
    const run = await measured(() => sleep(round.sizes.idleMs));
    const cpuPercent = ((cpuMsOf(coordinator.pid) - beforeMs) / (run.seconds * 1_000)) * 100;
    const load = `${thousands(workers)} idle workers (many in a process, each with its own connections)`;
    return { subject: 'rollout', load, figures: { cpuPercent }, foreignCores: run.foreignCores };
  } finally {
    for (const started of [...herds, coordinator]) await started.kill();
  }
}

function startHerds(dir: string, { address }: Serving, workers: number): readonly Started[] {
  const port = address.replace(/^.*:/, '');
  const count = Math.ceil(workers / MOST_IN_PROCESS);
  return Array.from({ length: count }, (_, nth) => {
    const size = Math.min(MOST_IN_PROCESS, workers - nth * MOST_IN_PROCESS);
    return startNode('test/support/herd-process.ts', [join(dir, 'tls'), port, String(nth * MOST_IN_PROCESS), String(size)]);
  });
}

function isEveryoneIdle(herds: readonly Started[], workers: number): boolean {
  const reports = herds.map(({ stdout }) => lastReport(stdout()));
  return reports.reduce((sum, report) => sum + (report?.running ?? 0), 0) === workers;
}

function lastReport(stdout: string): HerdReport | undefined {
  const line = stdout.split('\n').findLast((one) => one.startsWith('{') && one.endsWith('}'));
  return line === undefined ? undefined : (JSON.parse(line) as HerdReport);
}

function endIfOver(...all: readonly Started[]): undefined {
  const over = all.find((started) => started.hasEnded());
  if (over !== undefined) throw new Error(`it ended: ${over.stderr()}`);
  return undefined;
}
