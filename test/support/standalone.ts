import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Command, startCommand } from './command.ts';
import { type ResultLine, readResults } from './invariant.ts';
import { scratch } from './scratch.ts';
import type { TestStore } from './test-store.ts';
import { until } from './until.ts';
import { type Ended, verb } from './verb.ts';

/** Coordinators and workers started by hand with settings files, as on several machines; all share one state directory. */
export interface Standalone {
  readonly dir: string;
  readonly input: string;
  readonly output: string;
  readonly errors: string;
  readonly state: string;
  readonly tlsDir: string;
  /** Its events are its stdout. `port` 0 leaves the choice to the system. */
  /** `further`: settings of this one alone. */
  startCoordinator(name: string, port: number, further?: Readonly<Record<string, unknown>>): Command;
  startWorker(name: string, coordinatorPorts: readonly number[], further?: Readonly<Record<string, unknown>>): Command;
  /** For a coordinator or a worker that the test starts in another way: the path of its settings file. */
  coordinatorConfig(name: string, port: number, further?: Readonly<Record<string, unknown>>): string;
  workerConfig(name: string, coordinatorPorts: readonly number[]): string;
  verify(): Promise<Ended>;
  results(): readonly ResultLine[];
  failures(): readonly ResultLine[];
}

export interface StandaloneOptions {
  readonly lines: readonly string[];
  readonly baseUrl: string;
  readonly concurrency: number;
  readonly timing?: Readonly<Record<string, string>>;
  /** What only a coordinator knows of, beside the times of both. */
  readonly coordinatorTiming?: Readonly<Record<string, string>>;
  /** The state directory, if none is given. */
  readonly store?: TestStore;
  readonly coordinatorEnv?: Readonly<Record<string, string>>;
  readonly workerEnv?: Readonly<Record<string, string>>;
  /** Further settings of the coordinators. */
  readonly coordinator?: Readonly<Record<string, unknown>>;
}

export function standalone(t: ExecutionContext, options: StandaloneOptions): Standalone {
  const dir = scratch(t);
  const input = join(dir, 'in.jsonl');
  const output = join(dir, 'out.jsonl');
  const state = join(dir, 'state');
  const tlsDir = join(dir, 'tls');
  const timing = options.timing === undefined ? {} : { timing: options.timing };
  writeFileSync(input, options.lines.map((line) => `${line}\n`).join(''));
  // JSON is YAML too.
  const settings = (name: string, value: object): string => {
    const path = join(dir, `${name}.yaml`);
    writeFileSync(path, JSON.stringify(value, null, 2));
    return path;
  };
  const workerConfig = (name: string, ports: readonly number[], further: object = {}): string =>
    settings(name, {
      coordinators: ports.map((port) => `localhost:${port}`),
      workerId: name,
      stateDir: join(dir, 'workers', name),
      tls: { dir: tlsDir },
      concurrency: options.concurrency,
      backend: { type: 'openai', baseUrl: options.baseUrl },
      ...timing,
      ...further,
    });
  const coordinatorConfig = (name: string, port: number, further: object = {}): string =>
    settings(name, {
      input,
      output,
      listen: `127.0.0.1:${port}`,
      stateDir: state,
      tls: { dir: tlsDir },
      store: options.store?.settings ?? { embedded: {} },
      timing: { ...options.timing, ...options.coordinatorTiming },
      http: '127.0.0.1:0',
      ...options.coordinator,
      ...further,
    });
  return {
    dir,
    input,
    output,
    errors: `${output}.errors.jsonl`,
    state,
    tlsDir,
    startCoordinator: (name, port, further) =>
      startCommand('coordinator', ['--config', coordinatorConfig(name, port, further)], { cwd: dir, env: options.coordinatorEnv ?? {} }),
    startWorker: (name, ports, further) =>
      startCommand('worker', ['--config', workerConfig(name, ports, further)], { cwd: dir, env: options.workerEnv ?? {} }),
    coordinatorConfig,
    workerConfig,
    verify: () => verb(['verify', '--state', state], dir),
    results: () => readResults(output),
    failures: () => readResults(`${output}.errors.jsonl`),
  };
}

/** The NDJSON events that a standalone coordinator has printed so far. */
export function printedEvents(command: Command): readonly Readonly<Record<string, unknown>>[] {
  return command
    .stdout()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** The epoch under which this coordinator won the lease, however it won it. */
export async function leaseEpoch(command: Command, withinMs: number): Promise<number> {
  return until('the coordinator holds the lease', withinMs, () => {
    if (command.hasExited()) throw new Error(`the coordinator ended: ${command.stderr()}`);
    const won = printedEvents(command).find((event) => event['kind'] === 'lease_acquired' || event['kind'] === 'lease_stolen');
    return won === undefined ? undefined : { epoch: won['epoch'] as number };
  }).then((won) => won.epoch);
}
