import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Processes that run or want to, for each core. With four a core is hardly ever idle, so that more of them do not end any sooner. On a slow
 * machine, beside a build of Kubernetes, they were fourteen, and tests failed that have seconds for something.
 */
export const MOST_PER_CORE = 4;
const LOOK_MS = 5_000;
/** Whatever makes the load then, the tests are not it. */
const PATIENCE_MS = 10 * 60_000;

/** Whether more would only make all slower. `load`: the average of the last minute (getloadavg(3)). Pure. */
export function isOverloaded(load: number, cores: number): boolean {
  return load > MOST_PER_CORE * cores;
}

/** Resolves when the machine has time for more or nothing more is wanted, at the latest after ten minutes. Windows tells no load. */
export async function untilNotOverloaded(isStopped: () => boolean): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  const mustWait = (): boolean => isOverloaded(loadavg()[0] ?? 0, availableParallelism()) && performance.now() < untilMs;
  while (!isStopped() && mustWait()) await sleep(LOOK_MS);
}
