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
