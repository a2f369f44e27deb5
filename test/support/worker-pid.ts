import type { Run } from './run.ts';

/** The living process of the worker with this id; undefined while there is none. */
export function workerPid(run: Run, name: string): number | undefined {
  return run.processes().find(({ role, argv }) => role === 'worker' && argv.some((word) => word.includes(`/workers/${name}/`)))?.pid;
}
