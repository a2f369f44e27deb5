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
  const settings = { coordinators, workerId, stateDir, tls: { dir: join(dir, 'tls') }, backend: { type: 'mock', latency: '5ms' }, ...options.settings };
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
  const exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return {
    pid: child.pid ?? 0,
    stderr: () => text,
    kill: (signal) => child.kill(signal),
    tell: (message) => child.send(message),
    ended: async () => {
      const [code, signal] = await exit;
      return code ?? signal ?? 'SIGKILL';
    },
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) process.exit(await main(process.argv.slice(2)));
