import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { killTree } from './process-table.ts';

/** A real disk that can be full: a tmpfs of the test's own at a directory of the test's own. */
export interface SmallDisk {
  readonly dir: string;
  /** Nothing is left of it, or so many bytes. */
  fill(leftBytes?: number): void;
  /** Takes away what `fill` has put there. */
  clear(): void;
  grow(mebibytes: number): void;
}

const MEBIBYTE = 2 ** 20;

/** Mounting needs root. Where that is refused the test fails and says so. It must come after the `scratch` that `dir` lies in. */
export function smallDisk(t: ExecutionContext, dir: string, mebibytes: number): SmallDisk {
  const filler = join(dir, 'filler');
  mkdirSync(dir, { recursive: true });
  mount('-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', dir);
  t.teardown(async () => {
    await killTree(dir);
    // Lazily: a test that failed may still have a file of it open.
    run('umount', '-l', dir);
  });
  return {
    dir,
    fill: (leftBytes = 0) => write(filler, freeBytes(dir) - leftBytes),
    clear: () => rmSync(filler, { force: true }),
    grow: (to) => mount('-o', `remount,size=${to}m`, dir),
  };
}

export function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

function mount(...args: readonly string[]): void {
  const said = run('mount', ...args);
  if (said !== null) throw new Error(`this test needs a small disk, and may not mount one (run it as root, with CAP_SYS_ADMIN): ${said}`);
}

/** Null where it went well, else what was said. */
function run(command: string, ...args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? null : `${stderr ?? ''}${error?.message ?? ''}`.trim();
}

/** Others write at the same time: what does not fit any more is not needed. */
function write(path: string, bytes: number): void {
  const file = openSync(path, 'a');
  try {
    for (let left = bytes; left > 0; ) left -= writeSync(file, Buffer.alloc(Math.min(left, MEBIBYTE)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
