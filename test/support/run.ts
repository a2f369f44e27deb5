import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Begun, type Command, startCommand } from './command.ts';
import { invariantBreaks, type ResultLine, readResults } from './invariant.ts';
import { processesOf, type Seen, signal, supervisorFirst } from './process-table.ts';
import { scratch } from './scratch.ts';
import { until } from './until.ts';
import { type Ended, startVerb, verb } from './verb.ts';

/** A run of the product in a folder of its own: the same command may be started again and again. */
export interface Run {
  readonly dir: string;
  readonly input: string;
  readonly output: string;
  readonly errors: string;
  readonly state: string;
  /** `rollout run` in this process; its coordinator and its workers are processes. */
  start(extra?: readonly string[]): Begun;
  /** The same as a process: for tests that kill it, or that are about what a process has of the system. */
  startProcess(extra?: readonly string[]): Command;
  /** The command that `start` gives: for one that ends before it has started any process. */
  refused(extra?: readonly string[]): Promise<Ended>;
  /** `rollout retry --failed`, with the same arguments. */
  retry(extra?: readonly string[]): Begun;
  retryProcess(): Command;
  /** Other verbs on the same state directory, in this process. */
  verb(...args: readonly string[]): Promise<Ended>;
  processes(): readonly Seen[];
  coordinator(): number | undefined;
  workers(): readonly number[];
  /** The pid that was killed; waits up to 20 s for one to kill. */
  killCoordinator(): Promise<number>;
  killWorker(nth: number): Promise<number>;
  killEverything(): readonly number[];
  results(): readonly ResultLine[];
  failures(): readonly ResultLine[];
  events(): readonly Readonly<Record<string, unknown>>[];
}

export interface RunOptions {
  readonly lines: readonly string[] | Uint8Array;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly inputName?: string;
}

const APPEAR_MS = 120_000;
/** For processes that are killed to be gone. */
const STOP_MS = 10_000;

export function makeRun(t: ExecutionContext, options: RunOptions): Run {
  const dir = scratch(t);
  const input = join(dir, options.inputName ?? 'in.jsonl');
  const output = join(dir, 'out.jsonl');
  const state = `${output}.rollout`;
  const env = options.env ?? {};
  writeFileSync(input, options.lines instanceof Uint8Array ? options.lines : options.lines.map((line) => `${line}\n`).join(''));
  const further = ['--output', output, ...options.args];
  const begun = (args: readonly string[]): Begun => {
    const command = startVerb(args, dir, env);
    // Of a test that has failed: it would start its processes again while they are killed.
    t.teardown(() => stopVerb(command));
    return command;
  };
  const processes = (): readonly Seen[] => processesOf(dir);
  const pidsOf = (role: Seen['role']): readonly number[] =>
    processes()
      .filter((one) => one.role === role)
      .map((one) => one.pid);
  return {
    dir,
    input,
    output,
    errors: `${output}.errors.jsonl`,
    state,
    start: (extra = []) => begun(['run', input, ...further, ...extra]),
    startProcess: (extra = []) => startCommand('cli', ['run', input, ...further, ...extra], { cwd: dir, env }),
    refused: (extra = []) => verb(['run', input, ...further, ...extra], dir),
    retry: (extra = []) => begun(['retry', input, '--failed', ...further, ...extra]),
    retryProcess: () => startCommand('cli', ['retry', input, '--failed', ...further], { cwd: dir, env }),
    verb: (...args) => verb([...args, '--state', state], dir),
    processes,
    coordinator: () => pidsOf('coordinator')[0],
    workers: () => pidsOf('worker'),
    killCoordinator: async () => kill(await until('a coordinator process', APPEAR_MS, () => pidsOf('coordinator')[0])),
    killWorker: async (nth) => kill(await until(`worker process ${nth}`, APPEAR_MS, () => pidsOf('worker').toSorted((a, b) => a - b)[nth])),
    killEverything: () => supervisorFirst(processes()).map((one) => kill(one.pid)),
    results: () => readResults(output),
    failures: () => readResults(`${output}.errors.jsonl`),
    events: () => readEvents(join(state, 'events.ndjson')),
  };
}

/** The promise holds, and `rollout verify` says so too. */
export async function checkInvariant(t: ExecutionContext, run: Run): Promise<void> {
  t.deepEqual(invariantBreaks(run), []);
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
}

/** Waits for the end of a command, with a bound. */
export async function exitOf(command: Begun, withinMs: number): Promise<number | NodeJS.Signals> {
  await until('the command ends', withinMs, () => command.hasExited()).catch((error: Error) => {
    throw new Error(`${error.message}\n${command.stderr().slice(-4000)}`);
  });
  return command.exited;
}

/** Asked twice, it does not wait for its items. */
async function stopVerb(command: Begun): Promise<void> {
  if (command.hasExited()) return;
  command.signal('SIGINT');
  command.signal('SIGINT');
  await Promise.race([command.exited, sleep(STOP_MS)]);
}

/** Every file under `dir`, with its bytes. */
export function filesBelow(dir: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

function kill(pid: number): number {
  signal(pid, 'SIGKILL');
  return pid;
}

function readEvents(path: string): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
