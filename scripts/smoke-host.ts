import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * A machine of the smoke: this one, or one that ssh reaches. Both are given the same lines of shell, so that what runs here is what
 * runs there.
 */
export interface Host {
  readonly name: string;
  run(script: string, input?: string): Promise<{ readonly exit: number; readonly stdout: string; readonly stderr: string }>;
  start(script: string, onLine: (line: string) => void): Started;
}

export interface Started {
  /** What it said on stderr. */
  stderr(): string;
  readonly exited: Promise<number>;
}

export function localHost(): Host {
  return hostOf('this machine', (script) => spawn('sh', ['-c', script], { stdio: 'pipe' }));
}

export function sshHost(target: string, options: readonly string[]): Host {
  const all = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '-o', 'ServerAliveInterval=5', ...options];
  return hostOf(target, (script) => spawn('ssh', [...all, target, script], { stdio: 'pipe' }));
}

function hostOf(name: string, spawnScript: (script: string) => ChildProcess): Host {
  return {
    name,
    run: async (script, input = '') => {
      const child = spawnScript(script);
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      // A script that reads nothing may be gone before it is written to.
      child.stdin?.on('error', () => undefined).end(input);
      const exit = await exitOf(child);
      return { exit, stdout: stdout(), stderr: stderr() };
    },
    start: (script, onLine) => {
      const child = spawnScript(script);
      child.stdin?.on('error', () => undefined).end();
      const stderr = collect(child.stderr);
      if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', onLine);
      return { stderr, exited: exitOf(child) };
    },
  };
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return () => text;
}

/** 127 where it could not be started, 255 where a signal ended it: as a shell and ssh have it. */
async function exitOf(child: ChildProcess): Promise<number> {
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 255;
  } catch {
    return 127;
  }
}

/** One word of shell, whatever is in it. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
