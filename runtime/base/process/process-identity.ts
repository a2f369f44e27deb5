import { execFile } from 'node:child_process';
import { readFile, readlink, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ifThere } from '../fs/if-there.ts';
import { parseMounts } from './mounts.ts';

/** Names one process of one boot of one machine beyond doubt; a pid alone is used again. */
export interface ProcessIdentity {
  readonly bootId: string;
  readonly pid: number;
  /** Start time of the process in the unit of the system (Linux: clock ticks since boot), as text. */
  readonly startTime: string;
  readonly uid: number;
}

/**
 * A pid is used again, by the next process and by the next boot; together with boot id and start time it names one process for
 * ever. On Linux the boot id carries the namespaces in which pid and start time are counted (`<boot>/<pid namespace>.<time
 * namespace>`), since those of another container mean nothing here. Death is only reported if it is certain, and so is life: who
 * holds a lock is decided by process-lock.ts, not here.
 */
export async function ownProcess(): Promise<ProcessIdentity> {
  const own = await (process.platform === 'linux' ? seeOnLinux('self') : seeByPs(process.pid));
  if (own === null) throw new Error('this process does not find itself in the list of processes');
  return { bootId: await bootId(), pid: process.pid, startTime: own.startTime, uid: own.uid };
}

/** The process that has this pid now; null where there is none, or none can be seen. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  const seen = await seeProcess(pid);
  return seen === null ? null : { bootId: await bootId(), pid, startTime: seen.startTime, uid: seen.uid };
}

/**
 * True only when it is certain: another boot, no such pid, or the pid is another process's by now. That another boot is another
 * time, and not another machine, is certain only on a disk that no other machine shares (local-disk.ts).
 */
export async function isProcessDead(named: ProcessIdentity): Promise<boolean> {
  const here = splitBootId(await bootId());
  const there = splitBootId(named.bootId);
  if (here.boot !== '' && there.boot !== '' && here.boot !== there.boot) return true;
  if (here.namespace !== there.namespace) return false;
  if (!doesExist(named.pid)) return true;
  // Null: it ended just now, or may not be seen (mount option hidepid).
  const seen = await seeProcess(named.pid);
  return seen !== null && (seen.isZombie || seen.startTime !== named.startTime);
}

/** For what machines share: another boot may be another machine, so that only the death of a process of this boot is certain. */
export async function isProcessDeadOnThisBoot(named: ProcessIdentity): Promise<boolean> {
  const { boot } = splitBootId(named.bootId);
  return boot !== '' && boot === splitBootId(await bootId()).boot && isProcessDead(named);
}

/** True only when it is certain that exactly this process lives, on this boot and within sight. */
export async function isProcessAlive(named: ProcessIdentity): Promise<boolean> {
  if (!(await isNear(named))) return false;
  const seen = await seeProcess(named.pid);
  return seen !== null && !seen.isZombie && seen.startTime === named.startTime;
}

/** Whether the pid means the same here as it did to the process itself. */
export async function isNear(named: ProcessIdentity): Promise<boolean> {
  return named.bootId === (await bootId());
}

/** For people: how to find the process. */
export async function describeProcess(named: ProcessIdentity): Promise<string> {
  return (await isNear(named)) ? `process ${named.pid}` : `process ${named.pid} of another container`;
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

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

let knownBootId: Promise<string> | null = null;

function bootId(): Promise<string> {
  knownBootId ??= process.platform === 'linux' ? linuxBootId() : run('sysctl', ['-n', 'kern.bootsessionuuid']);
  return knownBootId;
}

async function linuxBootId(): Promise<string> {
  const [boot, pids, times] = await Promise.all([kernelBootId(), namespaceId('pid'), namespaceId('time')]);
  return `${boot}/${pids}.${times}`;
}

/** Empty where a container manager has put an id of its own in its place (systemd-nspawn): that one says nothing about boots. */
async function kernelBootId(): Promise<string> {
  const isReplaced = parseMounts(await readFile('/proc/self/mountinfo', 'utf8')).some(({ at }) => at === BOOT_ID);
  return isReplaced ? '' : (await readFile(BOOT_ID, 'utf8')).trim();
}

/** Empty where the kernel knows no such namespaces. */
async function namespaceId(kind: 'pid' | 'time'): Promise<string> {
  const path = `/proc/self/ns/${kind}`;
  return ((await ifThere(path, readlink(path))) ?? '').replaceAll(/\D/g, '');
}

async function seeProcess(pid: number): Promise<Seen | null> {
  if (process.platform !== 'linux') return seeByPs(pid);
  return (await isProcOfOwnNamespace()) ? seeOnLinux(pid) : null;
}

let knownIsOwn: Promise<boolean> | null = null;

/** A new pid namespace without a /proc of its own still sees that of its parent, where the same numbers are other processes. */
function isProcOfOwnNamespace(): Promise<boolean> {
  knownIsOwn ??= readFile('/proc/self/status', 'utf8').then((text) => {
    const pids = /^NSpid:\s+(.*)$/m.exec(text)?.[1] ?? '';
    return !/\s/.test(pids.trim());
  });
  return knownIsOwn;
}

/** proc(5): after the last ')' of /proc/<pid>/stat comes field 3, the state; field 22 is the start in clock ticks since boot. */
async function seeOnLinux(pid: number | 'self'): Promise<Seen | null> {
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
