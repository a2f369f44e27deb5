import { readdirSync, readFileSync } from 'node:fs';

/**
 * The CPU time, in milliseconds, that the `times` of a shell tells: two lines of user and system time, such as `0m1.20s 0m0.31s`, of which
 * the first is of the shell and the second of all processes that it, or a process below it, has waited for. 0 where nothing was told.
 */
export function cpuMsOf(times: string): number {
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}

/** Linux counts in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

/** The processes of a group; none without /proc. */
export function processesOfGroup(group: number): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && fieldsOf(statOf(name))[2] === group);
  } catch {
    return [];
  }
}

/** The CPU time so far, in milliseconds, of living processes and of all that they have waited for. */
export function cpuMsOfProcesses(pids: readonly string[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsOfStat(statOf(pid)), 0);
}

/** Of one `/proc/<pid>/stat`. */
export function cpuMsOfStat(stat: string): number {
  const times = fieldsOf(stat).slice(11, 15);
  return times.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

/** Behind the name, which may hold anything: state, parent, group, and from the twelfth on user and system time, own and of children. */
function fieldsOf(stat: string): readonly number[] {
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** Empty where the process has just ended. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
