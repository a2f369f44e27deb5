import { readdirSync, readFileSync } from 'node:fs';

/** Every process that a run of the tests starts, however deep, inherits this variable with a value of the run's own. */
export const RUN_MARK = 'ROLLOUT_TEST_RUN';

/** Kills what still lives of the run, on Linux, and answers the command lines: tests start processes in groups of their own. */
export function killLeftovers(mark: string): readonly string[] {
  const pids = readAll('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`${RUN_MARK}=${mark}`)).flatMap(kill);
}

function kill(pid: string): readonly string[] {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  try {
    process.kill(Number(pid), 'SIGKILL');
    return [command];
  } catch {
    return []; // It has ended meanwhile.
  }
}

function readAll(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // No /proc: another system.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
