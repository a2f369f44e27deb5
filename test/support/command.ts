import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { signal } from './process-table.ts';

/** One real process of this project, started by its launcher, with what it printed. */
export interface Command {
  readonly pid: number;
  /** Everything printed so far. */
  stdout(): string;
  stderr(): string;
  hasExited(): boolean;
  /** How it ended: its exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  signal(name: NodeJS.Signals): void;
  /** As the terminal does on Ctrl-C: everything in the process group gets the signal. */
  signalGroup(name: NodeJS.Signals): void;
}

/** A command that may have no process of its own. */
export type Begun = Omit<Command, 'pid' | 'signalGroup'>;

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** What starts it, such as `CONTAINER`; then `pid` is that program's. */
  readonly launch?: readonly string[];
}

/** A pid namespace of its own, as of a container: the process is pid 1 there. It dies with the program that made it. Needs root. */
export const CONTAINER: readonly string[] = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

export type Launcher = 'cli' | 'coordinator' | 'kubectl' | 'worker';

/** Variables of the caller that would change what the product does. */
const NOT_INHERITED = [
  ...['OPENAI_API_KEY', 'NODE_OPTIONS', 'NODE_CHANNEL_FD'],
  ...['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Started and not yet ended: they must not outlive the test process, however that is ended. */
const LIVING = new Set<number>();

function killLiving(): void {
  for (const pid of LIVING) signal(pid, 'SIGKILL');
}

process.once('exit', killLiving);
process.once('disconnect', killLiving);
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(name, () => {
    killLiving();
    signal(process.pid, name); // The handler is gone, so this one ends the process.
  });
}

export function startCommand(launcher: Launcher, args: readonly string[], options: StartOptions): Command {
  const path = fileURLToPath(new URL(`../../runtime/${launcher}.js`, import.meta.url));
  const [command, ...before] = [...(options.launch ?? []), process.execPath];
  const child = spawn(command, [...before, path, ...args], {
    cwd: options.cwd,
    env: { ...inheritedEnv(), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // A process group of its own, as a shell gives it.
  });
  child.stdin?.on('error', () => undefined); // A process that never reads its stdin may be gone before it is written.
  child.stdin?.end(options.stdin);
  return watch(child);
}

/** Runs to the end. */
export async function finished(
  command: Begun,
): Promise<{ readonly exit: number | NodeJS.Signals; readonly stdout: string; readonly stderr: string }> {
  const exit = await command.exited;
  return { exit, stdout: command.stdout(), stderr: command.stderr() };
}

function watch(child: ChildProcess): Command {
  let stdout = '';
  let stderr = '';
  let hasExited = false;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const pid = child.pid as number;
  LIVING.add(pid);
  const exited = once(child, 'close').then(([code, by]) => {
    LIVING.delete(pid);
    hasExited = true;
    return (code ?? by) as number | NodeJS.Signals;
  });
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    hasExited: () => hasExited,
    exited,
    signal: (name) => void signal(pid, name),
    signalGroup: (name) => void signal(-pid, name),
  };
}

export function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined && !NOT_INHERITED.includes(entry[0])),
  );
}
