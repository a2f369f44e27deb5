import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { main } from '../../runtime/worker/main.ts';

/** A worker as a process of its own, run from the sources. */
export interface WorkerProcess {
  readonly pid: number;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  tell(message: object): void;
  /** Ends the channel, as the death of the parent does. */
  leave(): void;
  /** Exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
}

export interface WorkerOptions {
  readonly workerId?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export function startWorker(t: ExecutionContext, dir: string, coordinators: readonly string[], options: WorkerOptions = {}): WorkerProcess {
  const workerId = options.workerId ?? 'w1';
  const stateDir = join(dir, 'workers', workerId);
  mkdirSync(stateDir, { recursive: true });
  const config = join(stateDir, 'worker.yaml');
  const settings = {
    coordinators,
    workerId,
    stateDir,
    tls: { dir: join(dir, 'tls') },
    backend: { type: 'mock', latency: '5ms' },
    ...options.settings,
  };
  // JSON is YAML too.
  writeFileSync(config, JSON.stringify(settings));
  const child = spawn(process.execPath, [new URL(import.meta.url).pathname, '--config', config], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: { ...process.env, ...options.env },
  });
  return wrap(t, child);
}

function wrap(t: ExecutionContext, child: ChildProcess): WorkerProcess {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // Not 'close': it does not come once the parent has ended the channel.
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const lastWords = new Promise<void>((resolve) => child.stderr?.once('end', resolve));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return {
    pid: child.pid ?? 0,
    stderr: () => text,
    kill: (signal) => child.kill(signal),
    tell: (message) => child.send(message),
    leave: () => child.disconnect(),
    ended: async () => {
      const [[code, signal]] = await Promise.all([exit, lastWords]);
      return code ?? signal ?? 'SIGKILL';
    },
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) process.exit(await main(process.argv.slice(2)));
