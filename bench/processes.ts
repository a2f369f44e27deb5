import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Run } from './contract.ts';
import { MS_PER_TICK, type ProcessTime, parseBusyTicks, parseProcessTime, treeTicks } from './cpu-time.ts';

/** The processes that are measured, and the CPU time that they and all others use. */

export interface Started {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  hasEnded(): boolean;
  /** Rejects where it did not end with 0, with what it said last. */
  readonly ended: Promise<void>;
  /** Kills it; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, if it has not ended; throws if it ends with anything but 0, or of the signal itself, which it may get before it listens. */
  terminate(): Promise<void>;
  /** As Ctrl-C twice: it ends what it started, and itself, at once. */
  interrupt(): Promise<void>;
}

/** For a machine that is much slower than those on which this was written. */
export const LONGEST_WAIT_MS: number = 10 * 60_000;
const LAST_WORDS = 2_000;
/** Between the first Ctrl-C and the second. */
const AGAIN_MS = 100;
const LIVING = new Set<ChildProcess>();

/** Nothing that is measured outlives the bench, however that ends. */
export function killStarted(): void {
  for (const { pid } of LIVING) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** One of this project's files, run by this very Node. */
export function startNode(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  // A process group of its own, in which everything ends with it.
  const options = { detached: true, env: { ...process.env, ...env } };
  const child = spawn(process.execPath, [path, ...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  LIVING.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-LAST_WORDS);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-LAST_WORDS);
  });
  const closed = once(child, 'close').finally(() => LIVING.delete(child));
  const ended = closed.then(([code]) => {
    if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  });
  ended.catch(() => undefined); // Whoever waits for it hears of it; who kills it does not wait.
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    hasEnded: () => !LIVING.has(child),
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    terminate: async () => {
      child.kill('SIGTERM');
      const [, signal] = await closed;
      if (signal !== 'SIGTERM') await ended;
    },
    interrupt: async () => {
      child.kill('SIGINT');
      await sleep(AGAIN_MS);
      child.kill('SIGINT');
      await closed;
    },
  };
}

/** Of a living process, of all below it, and of those below it that have ended. */
export function cpuMsOf(pid: number): number {
  return treeTicks(processTimes(), pid) * MS_PER_TICK;
}

/** What `work` takes; of the CPU time, what the processes use that it starts, and what the bench uses beside them. */
export async function measured(work: () => Promise<void>): Promise<Run & { readonly benchCpuMs: number }> {
  const before = now();
  await work();
  const after = now();
  const seconds = (after.ms - before.ms) / 1_000;
  const [ownMs, benchCpuMs] = [after.ownMs - before.ownMs, after.benchMs - before.benchMs];
  const foreignMs = Math.max(0, after.busyMs - before.busyMs - ownMs);
  return { seconds, cpuMs: ownMs - benchCpuMs, benchCpuMs, foreignCores: foreignMs / 1_000 / seconds };
}

function now(): { readonly ms: number; readonly ownMs: number; readonly benchMs: number; readonly busyMs: number } {
  const { user, system } = process.cpuUsage();
  return {
    ms: performance.now(),
    ownMs: cpuMsOf(process.pid),
    benchMs: (user + system) / 1_000,
    busyMs: parseBusyTicks(readFileSync('/proc/stat', 'utf8')) * MS_PER_TICK,
  };
}

function processTimes(): readonly ProcessTime[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processTime(`/proc/${name}/stat`));
}

function processTime(path: string): readonly ProcessTime[] {
  try {
    return [parseProcessTime(readFileSync(path, 'utf8'))];
  } catch {
    // It has ended since the directory was read.
    return [];
  }
}
