import { execFile } from 'node:child_process';
import { readFile, readlink, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProcessIdentity } from '../model/lease.ts';
import { ifThere } from './if-there.ts';

/**
 * A pid is used again, by the next process and by the next boot; together with boot id and start time it names one process for
 * ever. On Linux the boot id carries the pid namespace (`<boot>/<namespace>`), since a pid of another container says nothing here.
 */
export async function ownProcess(): Promise<ProcessIdentity> {
  const own = await identifyProcess(process.pid);
  if (own === null) throw new Error('this process does not find itself in the list of processes');
  return own;
}

/** The process that has this pid now; null where there is none. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  const seen = await seeProcess(pid);
  return seen === null ? null : { bootId: await bootId(), pid, startTime: seen.startTime, uid: seen.uid };
}

/** True only when it is certain: another boot, no such pid, or the pid is another process's by now. */
export async function isProcessDead(named: ProcessIdentity): Promise<boolean> {
  const here = splitBootId(await bootId());
  const there = splitBootId(named.bootId);
  if (here.boot !== there.boot) return true;
  if (here.namespace !== there.namespace) return false;
  const seen = await seeProcess(named.pid);
  return seen === null || seen.isZombie || seen.startTime !== named.startTime;
}

/** True only when it is certain that exactly this process lives, on this boot and within sight. */
export async function isProcessAlive(named: ProcessIdentity): Promise<boolean> {
  return named.bootId === (await bootId()) && !(await isProcessDead(named));
}

interface Seen {
  readonly startTime: string;
  readonly uid: number;
  /** Ended, and its parent has not taken note of it yet. */
  readonly isZombie: boolean;
}

function splitBootId(text: string): { boot: string; namespace: string } {
  const [boot = '', namespace = ''] = text.split('/');
  return { boot, namespace };
}

const PID_NAMESPACE = '/proc/self/ns/pid';

let knownBootId: Promise<string> | null = null;

function bootId(): Promise<string> {
  knownBootId ??= process.platform === 'linux' ? linuxBootId() : run('sysctl', ['-n', 'kern.bootsessionuuid']);
  return knownBootId;
}

async function linuxBootId(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  // A kernel that knows no namespaces has no such link.
  const namespace = (await ifThere(PID_NAMESPACE, readlink(PID_NAMESPACE))) ?? '';
  return `${boot.trim()}/${namespace.replaceAll(/\D/g, '')}`;
}

function seeProcess(pid: number): Promise<Seen | null> {
  return process.platform === 'linux' ? seeOnLinux(pid) : seeByPs(pid);
}

/** proc(5): after the last ')' of /proc/<pid>/stat comes field 3, the state; field 22 is the start in clock ticks since boot. */
async function seeOnLinux(pid: number): Promise<Seen | null> {
  try {
    const [text, { uid }] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), stat(`/proc/${pid}`)]);
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { startTime: fields[19] ?? '', uid, isZombie: fields[0] === 'Z' || fields[0] === 'X' };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ESRCH';
}

async function seeByPs(pid: number): Promise<Seen | null> {
  if (!doesExist(pid)) return null;
  const line = await run('ps', ['-o', 'uid=,stat=,lstart=', '-p', String(pid)]).catch(noneListed);
  const [, uid, state = '', startTime = ''] = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
  return uid === undefined ? null : { startTime, uid: Number(uid), isZombie: state.startsWith('Z') };
}

/** `ps` exits with 1 where no process has the pid: it has ended since. */
function noneListed(error: Error & { readonly code?: unknown }): string {
  if (error.code === 1) return '';
  throw error;
}

/** Whether a process has this pid now, be it of another user; for what only names a pid. */
export function doesExist(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isGone(error);
  }
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, [...args]);
  return stdout.trim();
}
