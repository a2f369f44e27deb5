import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { PATIENCE_MS, until } from './until.ts';

/** The processes of this machine as /proc shows them: how a test finds the real children of a run. */

export type Role = 'cli' | 'coordinator' | 'worker';

export interface Seen {
  readonly pid: number;
  readonly role: Role;
  readonly argv: readonly string[];
}

const LAUNCHERS: Readonly<Record<string, Role>> = { 'cli.js': 'cli', 'coordinator.js': 'coordinator', 'worker.js': 'worker' };

/** Every living process of this project whose arguments name something in `dir`. */
export function processesOf(dir: string): readonly Seen[] {
  return living().filter((one) => one.argv.some((word) => word.includes(dir)));
}

function living(): readonly Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => seen(Number(name)));
}

export function isAlive(pid: number): boolean {
  return stateOf(pid) !== undefined && stateOf(pid) !== 'Z';
}

/** Sends the signal; says whether there was still a process to take it. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Kills whatever is left of a run, also what names its files from within the folder, and waits until it is gone. */
export async function killTree(dir: string): Promise<void> {
  await until(`all processes of ${dir} gone`, PATIENCE_MS, () => {
    const left = living().filter((one) => one.argv.some((word) => word.includes(dir)) || folderOf(one.pid).startsWith(dir));
    for (const one of supervisorFirst(left)) signal(one.pid, 'SIGKILL');
    return left.length === 0;
  });
}

/** In the order in which they are killed: the supervisor first, so that it restarts nothing. */
export function supervisorFirst(all: readonly Seen[]): readonly Seen[] {
  return all.toSorted((a, b) => Number(b.role === 'cli') - Number(a.role === 'cli'));
}

function seen(pid: number): readonly Seen[] {
  const argv = argvOf(pid);
  const role = LAUNCHERS[basename(argv[1] ?? '')];
  if (role === undefined || !isAlive(pid)) return [];
  return [{ pid, role, argv }];
}

function argvOf(pid: number): readonly string[] {
  return read(`/proc/${pid}/cmdline`)?.split('\0').slice(0, -1) ?? [];
}

/** The folder in which a process works; empty where that is not to be known any more. */
function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** One letter: R, S, D, T, Z; undefined where there is no such process. */
function stateOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
