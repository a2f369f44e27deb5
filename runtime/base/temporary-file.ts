import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { doesExist } from './process-identity.ts';
import { systemRandom } from './random.ts';

/** Large temporary files carry the pid of who writes them, so that a later process can tell those that kill -9 has left. */
export function temporaryName(prefix: string): string {
  return `${prefix}${process.pid}-${systemRandom.hex(4)}.tmp`;
}

/** Of Linux; other systems count less far. */
const HIGHEST_PID = 4_194_304;

/** As long as any temporary name under this prefix, and the name of no living process. */
export function longestTemporaryName(prefix: string): string {
  return `${prefix}${HIGHEST_PID + 1}-${systemRandom.hex(4)}.tmp`;
}

/** Removes what processes left that were killed while they wrote under this prefix; what living ones write stays. */
export async function removeLeftTemporaries(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const pid = name.startsWith(prefix) ? /^(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !doesExist(Number(pid))) await rm(join(dir, name), { force: true, recursive: true });
  }
}
