import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { batchLines } from './batch-lines.ts';
import type { Command } from './command.ts';
import { freePort } from './free-port.ts';
import { invariantBreaks } from './invariant.ts';
import { type Behaviour, type ModelServer, modelServer } from './model-server.ts';
import { printedEvents, type Standalone, standalone } from './standalone.ts';
import type { TestStore } from './test-store.ts';
import { PATIENCE_MS, until } from './until.ts';
import { type Ended, verb } from './verb.ts';

type Event = Readonly<Record<string, unknown>>;

/** One coordinator and some workers, each with its own server on a node of its own (w1 on n1, …), and hints files for them. */
export interface Fleet {
  readonly standing: Standalone;
  readonly coordinator: Command;
  readonly port: number;
  readonly workers: ReadonlyMap<string, Command>;
  worker(name: string): Command;
  /** The worker again, as it was started first. */
  restart(name: string): Command;
  /** A coordinator in the place of the first one. */
  succeed(): Command;
  events(): readonly Event[];
  /** Of one worker, by kind. */
  eventsOf(worker: string, kind: string): readonly Event[];
  /** What the coordinator's hints file says from now on; null takes the file away. */
  hint(hints: object | null): void;
  /** The same for the file of one worker. */
  hintTo(worker: string, hints: object | null): void;
  drain(...args: readonly string[]): Promise<Ended>;
}

export interface FleetOptions {
  readonly items: number;
  readonly concurrency: number;
  readonly worker?: Readonly<Record<string, unknown>>;
  readonly timing?: Readonly<Record<string, string>>;
  readonly store?: TestStore | undefined;
}

/** One worker for each server. */
export async function startFleet(t: ExecutionContext, servers: readonly ModelServer[], options: FleetOptions): Promise<Fleet> {
  const { items, concurrency, timing, store } = options;
  // One failure that counts would be an item's last: nothing here may count.
  const base = { lines: batchLines(items), baseUrl: '', concurrency, coordinator: { maxAttempts: 1 } };
  const standing = standalone(t, { ...base, ...(timing === undefined ? {} : { timing }), ...(store === undefined ? {} : { store }) });
  const [hints, port] = [join(standing.dir, 'hints.yaml'), await freePort()];
  const startCoordinator = (): Command => standing.startCoordinator('coordinator', port, { hints: { file: hints } });
  const coordinator = startCoordinator();
  const names = servers.map((_, n) => `w${n + 1}`);
  const hintsOf = (name: string): string => join(standing.dir, `${name}-hints.yaml`);
  await until('the coordinator serves', PATIENCE_MS, () => printedEvents(coordinator).some((event) => event['kind'] === 'run_started'));
  const startWorker = (name: string, n: number): Command => {
    const backend = { type: 'openai', baseUrl: servers[n]?.url };
    const own = { node: `n${n + 1}`, hints: { file: hintsOf(name) }, prefetch: 1, backend, ...options.worker };
    return standing.startWorker(name, [port], own);
  };
  const workers = new Map(
    names.map((name, n) => {
      return [name, startWorker(name, n)];
    }),
  );
  const worker = (name: string): Command => {
    const found = workers.get(name);
    if (found === undefined) throw new Error(`no worker ${name}`);
    return found;
  };
  const events = (): readonly Event[] => printedEvents(coordinator);
  return {
    standing,
    coordinator,
    port,
    workers,
    worker,
    restart: (name) => startWorker(name, names.indexOf(name)),
    succeed: startCoordinator,
    events,
    eventsOf: (name, kind) => events().filter((event) => event['kind'] === kind && event['workerId'] === name),
    hint: (said) => write(hints, said),
    hintTo: (name, said) => write(hintsOf(name), said),
    drain: (...args) => verb(['drain', ...args, '--state', standing.state], standing.dir),
  };
}

/** The run ends well: one record for each item, and none has failed. */
export async function checkFleet(t: ExecutionContext, fleet: Fleet, withinMs: number): Promise<void> {
  await until('the run ends', withinMs, () => fleet.coordinator.hasExited());
  t.is(await fleet.coordinator.exited, 0, fleet.coordinator.stderr());
  t.deepEqual(invariantBreaks(fleet.standing), []);
  t.deepEqual(fleet.standing.failures(), []);
  const verified = await fleet.standing.verify();
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
}

/** Under another name first, as the documentation says. */
function write(path: string, said: object | null): void {
  if (said === null) return rmSync(path, { force: true });
  writeFileSync(`${path}.new`, JSON.stringify(said));
  renameSync(`${path}.new`, path);
}

/** What the workers that stay need for an item until the test is over. */
export const OTHERS_MS = 800;

/** Worker w1 with a quick server, and w2 whose server behaves as the test says. */
export async function twoWorkers(
  t: ExecutionContext,
  second: (started: number) => Behaviour | Promise<Behaviour>,
  more: {
    readonly worker?: Readonly<Record<string, unknown>>;
    readonly timing?: Readonly<Record<string, string>>;
    readonly store?: TestStore;
  } = {},
): Promise<{ readonly fleet: Fleet; readonly own: ModelServer; readonly other: ModelServer; readonly hurry: () => void }> {
  let count = 0;
  const own = await modelServer(t, () => {
    count += 1;
    return second(count);
  });
  const slow = (): Behaviour => ({ kind: 'ok', afterMs: OTHERS_MS });
  const other = await modelServer(t, slow);
  const fleet = await startFleet(t, [other, own], { items: 120, concurrency: 2, ...more });
  const hurry = (): void => other.answerWith(() => ({ kind: 'ok' }));
  return { fleet, own, other, hurry };
}

export function steps(fleet: Fleet, worker: string): readonly unknown[] {
  return fleet.eventsOf(worker, 'drain_step').map((event) => [event['step'], event['items']]);
}

export function kindsOf(fleet: Fleet, worker: string): readonly unknown[] {
  return fleet
    .events()
    .filter((event) => event['workerId'] === worker && event['kind'] !== 'worker_suspected')
    .map((event) => event['kind']);
}

/** Items whose first execution was on this server and which another one executed too. */
export function movedOn(own: ModelServer, other: ModelServer): readonly string[] {
  return [...own.executions.keys()].filter((item) => other.executions.has(item));
}
