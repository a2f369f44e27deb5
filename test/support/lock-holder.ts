import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { takeLock } from '../../runtime/base/fs/process-lock.ts';

/** A process of its own that takes a lock and keeps it. */
export interface LockHolder {
  /** As this process sees it. */
  readonly pid: number;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<unknown>;
}

/** `launch`: what it is started with, as a new namespace. */
export async function startLockHolder(t: ExecutionContext, dir: string, launch: readonly string[] = []): Promise<LockHolder> {
  const [command, ...args] = [...launch, process.execPath, fileURLToPath(import.meta.url), dir];
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [said] = (await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), ended])) as [unknown];
  if (String(said).trim() !== 'locked') throw new Error(`the holder of ${dir} said ${String(said)}`);
  return { pid: child.pid ?? 0, signal: (name) => void child.kill(name), ended };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const attempt = await takeLock(process.argv[2] ?? '');
  process.stdout.write(`${attempt.kind}\n`);
  setInterval(() => undefined, 1_000);
}
