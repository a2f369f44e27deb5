import type { Run } from './run.ts';

/** The living process of the worker with this id; undefined while there is none. */
export function workerPid(run: Run, name: string): number | undefined {
  return run.processes().find(({ role, argv }) => role === 'worker' && argv.some((word) => word.includes(`/workers/${name}/`)))?.pid;
}

/** The name of the worker that this process is; empty where it is none. */
export function workerName(run: Run, pid: number): string {
  const argv = run.processes().find((one) => one.pid === pid)?.argv ?? [];
  return /\/workers\/([^/]+)\//.exec(argv.join(' '))?.[1] ?? '';
}
