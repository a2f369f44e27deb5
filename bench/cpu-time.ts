/** What /proc says of CPU time, in ticks: of a process by its `stat` file, of the machine by the first line of /proc/stat. */

export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** Used by itself. */
  readonly ownTicks: number;
  /** Used by those of its children, and of theirs, that have ended. */
  readonly endedTicks: number;
}

/** Linux has counted in hundredths for programs since 2.4, whatever its kernel counts in. */
export const MS_PER_TICK = 10;

/** A process's name may hold blanks and brackets, so fields are counted behind the last bracket. */
export function parseProcessTime(stat: string): ProcessTime {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .trim()
    .split(' ')
    .map(Number);
  const at = (field: number): number => fields[field - 3] ?? Number.NaN;
  return { pid: Number.parseInt(stat, 10), parent: at(4), ownTicks: at(14) + at(15), endedTicks: at(16) + at(17) };
}

/** All that is not idle and not waiting for disks; time that the host gave to another machine counts as used by others. */
export function parseBusyTicks(procStat: string): number {
  const fields = (/^cpu +(.*)$/m.exec(procStat)?.[1] ?? '').split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = fields;
  return user + nice + system + interrupts + softInterrupts + stolen;
}

/** Of a process, all that it started, and what they started. */
export function treeTicks(all: readonly ProcessTime[], root: number): number {
  const own = all.find(({ pid }) => pid === root);
  if (own === undefined) return 0;
  const children = all.filter(({ parent }) => parent === root);
  return own.ownTicks + own.endedTicks + children.reduce((sum, child) => sum + treeTicks(all, child.pid), 0);
}
