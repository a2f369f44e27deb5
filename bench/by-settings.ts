import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from '../test/support/until.ts';
import { LONGEST_WAIT_MS, startNode } from './processes.ts';
import { type RolloutRun, servingIn } from './rollout.ts';

/** The product by its settings files, as on several machines: for what `rollout run` has no option. */
export interface SettingsRun extends RolloutRun {
  /** Most items that a worker holds ready beyond those that run. */
  readonly prefetch: number;
}

/** Runs a coordinator and its workers until all have ended. */
export async function runBySettings(run: SettingsRun): Promise<void> {
  const dir = join(dirname(run.output), 'settings');
  mkdirSync(dir);
  const coordinator = startNode('runtime/coordinator.js', ['--config', coordinatorSettings(dir, run)]);
  const serving = until('the coordinator serves', LONGEST_WAIT_MS, () => servingIn(join(dir, 'state')));
  // One that cannot start says why before the wait is over.
  const { address } = await Promise.race([serving, coordinator.ended.then(() => serving)]);
  const workers = Array.from({ length: run.workers }, (_, nth) =>
    startNode('runtime/worker.js', ['--config', workerSettings(dir, run, address, `w${nth + 1}`)]),
  );
  await coordinator.ended;
  // One that comes after the last item has been recorded waits for a coordinator that starts again.
  await Promise.all(workers.map((worker) => worker.terminate()));
}

/** For a coordinator on any free port; its state and certificates are in `dir`. */
export function coordinatorSettings(dir: string, { input, output }: Pick<RolloutRun, 'input' | 'output'>): string {
  const local = { listen: '127.0.0.1:0', http: '127.0.0.1:0', stateDir: join(dir, 'state'), tls: { dir: join(dir, 'tls') } };
  return writeSettings(dir, 'coordinator', { input, output, events: join(dir, 'events.ndjson'), ...local });
}

function workerSettings(dir: string, run: SettingsRun, address: string, workerId: string): string {
  const { concurrency, prefetch, latencyMs, spreadMs } = run;
  const backend = { type: 'mock', latency: `${latencyMs}ms`, latencySpread: `${spreadMs}ms` };
  const own = { workerId, stateDir: join(dir, workerId), tls: { dir: join(dir, 'tls') } };
  return writeSettings(dir, workerId, { coordinators: [address], ...own, concurrency, prefetch, backend });
}

function writeSettings(dir: string, name: string, settings: object): string {
  const path = join(dir, `${name}.yaml`);
  // JSON is YAML too.
  writeFileSync(path, JSON.stringify(settings));
  return path;
}
