import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HerdReport } from '../test/support/herd-process.ts';
import { until } from '../test/support/until.ts';
import type { Measurement, Part, Round } from './contract.ts';
import { thousands } from './end-to-end.ts';
import { LINE_BYTES } from './peers.ts';
import { cpuMsOf, LONGEST_WAIT_MS, measured, type Started, startNode } from './processes.ts';
import { type Serving, servingIn } from './rollout.ts';

/** Each of the simulated workers may hold so many items; with as many in the list none of them waits for more. */
const HELD = 2;
/** A process of simulated workers uses as much of a core as several hundred real ones have many for. */
const MOST_IN_PROCESS = 500;

/** Workers that hold items which do not end: all that the coordinator does is to know that they live. */
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
  const coordinator = startNode('runtime/coordinator.js', ['--config', writeConfig(dir, round.input(HELD * workers + 1, LINE_BYTES))]);
  const herds: Started[] = [];
  try {
    const serving = await until('the coordinator serves', LONGEST_WAIT_MS, () => endIfOver(coordinator) ?? servingIn(join(dir, 'state')));
    herds.push(...startHerds(dir, serving, workers));
    await until('all workers hold items', LONGEST_WAIT_MS, () =>
      isEveryoneIdle(herds, workers) ? true : endIfOver(coordinator, ...herds),
    );
    await sleep(round.sizes.idleMs / 2);
    const beforeMs = cpuMsOf(coordinator.pid);
    const run = await measured(() => sleep(round.sizes.idleMs));
    const cpuPercent = ((cpuMsOf(coordinator.pid) - beforeMs) / (run.seconds * 1_000)) * 100;
    const load = `${thousands(workers)} workers whose items do not end`;
    return { subject: 'rollout', load, figures: { cpuPercent }, foreignCores: run.foreignCores };
  } finally {
    for (const started of [...herds, coordinator]) await started.kill();
  }
}

function writeConfig(dir: string, input: string): string {
  const path = join(dir, 'coordinator.yaml');
  const output = join(dir, 'out.jsonl');
  const local = { listen: '127.0.0.1:0', http: '127.0.0.1:0', stateDir: join(dir, 'state'), tls: { dir: join(dir, 'tls') } };
  // JSON is YAML too.
  writeFileSync(path, JSON.stringify({ input, output, ...local }));
  return path;
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
