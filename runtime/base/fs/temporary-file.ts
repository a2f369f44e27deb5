import { createHash } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { doesExist, ownProcess } from '../process/process-identity.ts';
import { systemRandom } from '../random.ts';

/**
 * Large temporary files carry the pid of who writes them, so that a later process can tell those that kill -9 has left, and the place
 * where that pid counts (boot and pid namespace): in another container, or on another host, the same number is another process.
 */
export async function temporaryName(prefix: string): Promise<string> {
  return nameOf(prefix, await ownPlace(), process.pid);
}

/** Of Linux; other systems count less far. */
const HIGHEST_PID = 4_194_304;

/** As long as any temporary name under this prefix, and the name of no living process. */
export async function longestTemporaryName(prefix: string): Promise<string> {
  return nameOf(prefix, await ownPlace(), HIGHEST_PID + 1);
}

function nameOf(prefix: string, place: string, pid: number): string {
  return `${prefix}${place}-${pid}-${systemRandom.hex(4)}.tmp`;
}

async function ownPlace(): Promise<string> {
  const { bootId } = await ownProcess();
  return createHash('sha256').update(bootId).digest('hex').slice(0, 8);
}

/** Where nothing can be known of the writer, what has not changed for so long is left over. */
const LEFT_AFTER_MS = 24 * 3_600_000;

/** Removes what processes left that were killed while they wrote under this prefix; what living ones may write stays. */
export async function removeLeftTemporaries(dir: string, prefix: string, nowMs: number = systemClock.wallMs()): Promise<void> {
  const place = await ownPlace();
  for (const name of await readdir(dir)) {
    const writer = name.startsWith(prefix) ? /^([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length)) : null;
    if (writer === null) continue;
    const path = join(dir, name);
    const isLeft = writer[1] === place ? !doesExist(Number(writer[2])) : await isOld(path, nowMs);
    if (isLeft) await rm(path, { force: true, recursive: true });
  }
}

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && nowMs - found.mtimeMs > LEFT_AFTER_MS;
}
