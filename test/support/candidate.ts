import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { until } from './until.ts';

export interface Said {
  readonly kind: string;
  readonly atMs: number;
  readonly [field: string]: unknown;
}

/** A process that runs lease-process.ts; killed at the test's end. */
export class Candidate {
  readonly child: ChildProcess;
  readonly said: Said[] = [];

  constructor(t: ExecutionContext, dir: string, name: string, ttlMs: number, fileLimitBlocks: number | 'unlimited' = 'unlimited') {
    const program = fileURLToPath(new URL('lease-process.ts', import.meta.url));
    const command = `ulimit -f ${fileLimitBlocks}; exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, program, dir, name, String(ttlMs)];
    this.child = spawn('/bin/sh', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.child;
    if (stdout === null) throw new Error('no stdout');
    createInterface({ input: stdout }).on('line', (line) => this.said.push({ atMs: performance.now(), ...JSON.parse(line) }));
    this.child.stdin?.on('error', () => undefined);
    t.teardown(() => this.kill());
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  tell(command: 'resign' | 'work' | 'fill' | 'stop-inside'): void {
    this.child.stdin?.write(`${command}\n`);
  }

  /** The first line of one of these kinds. */
  hears(kinds: string | readonly string[], withinMs = 30_000): Promise<Said> {
    return until(`${[kinds].flat().join(' or ')} from ${this.pid}, which said ${JSON.stringify(this.said.slice(-5))}`, withinMs, () =>
      this.said.find((line) => [kinds].flat().includes(line.kind)),
    );
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
