import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, quote, type Started } from './smoke-host.ts';
import {
  coordinatorText,
  DRAIN_MS,
  describe,
  type Event,
  hintText,
  inputText,
  LEAVING,
  type Provider,
  RUN_MS,
  type Seen,
  SLOW,
  seconds,
  WORKERS,
  type WorkerPlan,
  workerText,
} from './smoke-story.ts';

/** Where the four processes run. */
interface Places {
  /** A folder of the smoke's own, on each host. */
  readonly dir: string;
  readonly project: string;
  readonly coordinator: Host;
  readonly workers: readonly [Host, Host, Host];
  readonly listen: string;
  /** host:port at which the workers reach the coordinator; null: the one that it tells. */
  readonly address: string | null;
}

interface Process {
  readonly name: string;
  readonly host: Host;
  readonly started: Started;
}

/** Long enough for four processes on a busy machine. */
const START_MS = 20_000;
/** What workers need to hear that the run is over, and to leave. */
const LEAVE_MS = 20_000;
const LOOK_MS = 50;
/** Lines of each process that are shown when the smoke has failed. */
const LAST_LINES = 5;

export class Smoke {
  readonly #places: Places;
  readonly #provider: Provider;
  readonly #print: (line: string) => void;
  readonly #startedAtMs = performance.now();
  readonly #events: Event[] = [];
  readonly #processes: Process[] = [];
  #isOver = false;

  constructor(places: Places, provider: Provider, print: (line: string) => void) {
    this.#places = places;
    this.#provider = provider;
    this.#print = print;
  }

  async run(): Promise<Seen> {
    const { dir, coordinator, workers, listen } = this.#places;
    for (const host of new Set([coordinator, ...workers])) await this.#shell(host, `umask 077 && mkdir -p ${dir}`);
    await this.#write(coordinator, 'in.jsonl', inputText());
    await this.#write(coordinator, 'coordinator.yaml', coordinatorText(dir, listen));
    const serving = this.#start(coordinator, 'coordinator', (line) => this.#onLine(line));
    await this.#until('the coordinator serves', START_MS, () => this.#has('run_started'));
    const servesAtMs = performance.now();
    const address = this.#places.address ?? (await this.#servingAddress());
    const running = new Map<string, Process>();
    for (const [n, plan] of WORKERS.entries()) {
      running.set(plan.name, await this.#startWorker(workers[n] ?? coordinator, plan, address));
      // The slow one begins alone, so that it has a backlog.
      if (plan.name === SLOW) await this.#untilRegistered(SLOW);
    }
    await this.#untilRegistered(LEAVING);
    const leaving = this.#drain(running);
    const runMs = this.#within('the run', RUN_MS + START_MS, serving.started.exited).then(() => performance.now() - servesAtMs);
    const leftAfterMs = await leaving;
    const [ended, coordinatorExit] = await Promise.all([runMs, serving.started.exited]);
    const workerExits = new Map<string, number>();
    for (const { name, started } of running.values()) workerExits.set(name, await this.#within(`worker ${name}`, LEAVE_MS, started.exited));
    this.#say('the workers have left');
    const { exit: verifyExit, stdout } = await coordinator.run(this.#command(`node runtime/cli.js verify --state ${dir}/state`));
    this.#say(`verify: ${stdout.trim().split('\n').at(-1) ?? ''}`);
    const left = await this.#left();
    return { events: this.#events, coordinatorExit, runMs: ended, leftAfterMs, workerExits, verifyExit, left };
  }

  /** Ends whatever still runs, and takes the folders away. */
  async clean(): Promise<void> {
    this.#isOver = true;
    for (const { host, name } of this.#processes) await host.run(`kill -9 "$(cat ${this.#places.dir}/${name}.pid)" 2>/dev/null`);
    const { dir, coordinator, workers } = this.#places;
    for (const host of new Set([coordinator, ...workers])) await host.run(`rm -rf ${dir}`);
  }

  /** What each process said last on stderr. */
  lastWords(): readonly string[] {
    return this.#processes.flatMap(({ name, started }) => {
      const lines = started.stderr().trim().split('\n').slice(-LAST_LINES);
      return lines[0] === '' ? [] : [`${name} said last:`, ...lines.map((line) => `  ${line}`)];
    });
  }

  /** Resolves with the time from the hint to the end of the process. */
  async #drain(running: ReadonlyMap<string, Process>): Promise<number> {
    const { dir } = this.#places;
    const leaving = running.get(LEAVING);
    if (leaving === undefined) throw new Error(`no worker ${LEAVING}`);
    const fromMs = performance.now();
    this.#say(`hint: ${this.#provider} wants the machine of worker ${LEAVING} back; a drain may take ${seconds(DRAIN_MS[this.#provider])}`);
    // Under another name first, so that nobody reads half of it.
    const path = `${dir}/hints-${LEAVING}.yaml`;
    await this.#shell(leaving.host, `cat >${path}.new && mv ${path}.new ${path}`, hintText(this.#provider));
    await this.#within(`worker ${LEAVING} leaving`, DRAIN_MS[this.#provider] + LEAVE_MS, leaving.started.exited);
    this.#say(`worker ${LEAVING}: its process is gone`);
    return performance.now() - fromMs;
  }

  async #startWorker(host: Host, plan: WorkerPlan, address: string): Promise<Process> {
    const { dir, coordinator } = this.#places;
    const tls = `${dir}/tls-${plan.name}`;
    await this.#shell(host, `umask 077 && mkdir -p ${tls}`);
    // As docs/settings.md says: the worker makes its own certificate from these.
    for (const file of ['ca.pem', 'ca.key.pem']) {
      const pem = await this.#shell(coordinator, `cat ${dir}/tls/${file}`);
      await this.#shell(host, `umask 077 && cat >${tls}/${file}`, pem);
    }
    await this.#write(host, `${plan.name}.yaml`, workerText(dir, plan, address));
    return this.#start(host, plan.name, () => undefined);
  }

  #start(host: Host, name: string, onLine: (line: string) => void): Process {
    if (this.#isOver) throw new Error('the smoke was told to end');
    const { dir } = this.#places;
    const launcher = name === 'coordinator' ? 'coordinator' : 'worker';
    // The shell becomes the process, so that the number it writes down is the process's own.
    const script = this.#command(`echo $$ >${dir}/${name}.pid && exec node runtime/${launcher}.js --config ${dir}/${name}.yaml`);
    const process = { name, host, started: host.start(script, onLine) };
    this.#processes.push(process);
    return process;
  }

  #command(command: string): string {
    return `cd ${quote(this.#places.project)} && ${command}`;
  }

  async #write(host: Host, file: string, text: string): Promise<void> {
    await this.#shell(host, `cat >${this.#places.dir}/${file}`, text);
  }

  async #shell(host: Host, script: string, input = ''): Promise<string> {
    const { exit, stdout, stderr } = await host.run(script, input);
    if (exit !== 0) throw new Error(`${host.name}: ${script} ended with ${exit}: ${stderr.trim()}`);
    return stdout;
  }

  async #servingAddress(): Promise<string> {
    const { dir, coordinator } = this.#places;
    const serving = JSON.parse(await this.#shell(coordinator, `cat ${dir}/state/coordinator.json`)) as { readonly address: string };
    return serving.address;
  }

  async #left(): Promise<readonly string[]> {
    const living: string[] = [];
    for (const { host, name } of this.#processes) {
      const { exit } = await host.run(`kill -0 "$(cat ${this.#places.dir}/${name}.pid)" 2>/dev/null`);
      if (exit === 0) living.push(`${name} on ${host.name}`);
    }
    return living;
  }

  #onLine(line: string): void {
    if (!line.startsWith('{')) return this.#say(line);
    const event = JSON.parse(line) as Event;
    this.#events.push(event);
    const text = describe(event);
    if (text !== null) this.#say(text);
  }

  async #untilRegistered(worker: string): Promise<void> {
    await this.#until(`worker ${worker} registers`, START_MS, () => this.#has('worker_registered', worker));
    // By then it has been given its first items.
    await sleep(500);
  }

  #has(kind: string, worker?: string): boolean {
    return this.#events.some((event) => event['kind'] === kind && (worker === undefined || event['workerId'] === worker));
  }

  #say(text: string): void {
    this.#print(`${seconds(this.#sinceMs()).padStart(8)}  ${text}`);
  }

  #sinceMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  async #until(what: string, withinMs: number, ask: () => boolean): Promise<void> {
    const endMs = performance.now() + withinMs;
    while (!ask()) {
      if (performance.now() > endMs) throw new Error(`not within ${seconds(withinMs)}: ${what}`);
      await sleep(LOOK_MS);
    }
  }

  async #within<T>(what: string, withinMs: number, promise: Promise<T>): Promise<T> {
    const patience = new AbortController();
    const late = sleep(withinMs, null, { signal: patience.signal }).then(() => {
      throw new Error(`not over within ${seconds(withinMs)}: ${what}`);
    });
    late.catch(() => undefined);
    return Promise.race([promise, late]).finally(() => patience.abort());
  }
}
