import type { Clock } from '../../runtime/base/clock.ts';
import { type Random, seededRandom } from '../../runtime/base/random.ts';
import type { End } from '../../runtime/coordinator/end.ts';
import type { Loop } from '../../runtime/coordinator/loop.ts';
import type { Source } from '../../runtime/coordinator/source.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory.ts';
import type { Frame } from '../../runtime/results/contract.ts';
import type { Fault } from '../support/faulty-ledger.ts';
import { ManualClock, settlePromises } from '../support/manual-clock.ts';
import { SimCoordinator } from './sim-coordinator.ts';
import type { SimProcess } from './sim-process.ts';
import { SimWorker } from './sim-worker.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly items: number;
  readonly invalid: ReadonlySet<number>;
  readonly workers: number;
  readonly coordinators: number;
  /** Chances: of each call, each execution, or each second of each process. */
  readonly faults: {
    readonly ledger: number;
    readonly reply: number;
    readonly failure: number;
    readonly returns: number;
    readonly refusal: number;
    readonly workerCrash: number;
    readonly workerStop: number;
    readonly workerDrain: number;
    /** Of a word about one worker, be it that the word before holds no more. */
    readonly hint: number;
    readonly coordinatorCrash: number;
    readonly coordinatorStop: number;
    readonly coordinatorEnd: number;
  };
}

const LONGEST_STOP_MS = 14_000;

/** Several real coordinators and several real workers, with nothing between them but chance. */
export class World {
  readonly clock: ManualClock = new ManualClock();
  readonly random: Random;
  readonly options: WorldOptions;
  readonly ledger: Ledger = createMemoryLedger();
  readonly witnessed: Ledger;
  readonly frames: (Frame & { readonly epoch: number })[] = [];
  readonly accepted: Map<number, string> = new Map();
  readonly executions: Map<number, string[]> = new Map();
  readonly coordinators: SimCoordinator[] = [];
  readonly workers: SimWorker[] = [];
  readonly ends: string[] = [];
  readonly addresses: readonly string[];
  isCompleted = false;
  failure: unknown = null;
  #quietFromMs = Number.POSITIVE_INFINITY;
  readonly #at = new Map<string, SimCoordinator>();
  readonly #pids: SimCoordinator[] = [];

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    this.witnessed = this.#witness();
    this.addresses = Array.from({ length: options.coordinators }, (_, at) => `c${at}:1`);
    for (let at = 0; at < options.workers; at += 1) this.workers.push(new SimWorker(this, `w${at}`));
  }

  readonly fail = (cause: unknown): void => {
    this.failure ??= cause;
  };

  /** After a while nothing goes wrong any more: then everything must come to its end. */
  chance(probability: number): boolean {
    return this.random.next() < probability && this.clock.monotonicMs() < this.#quietFromMs;
  }

  ledgerFault(): Fault | null {
    const { ledger } = this.options.faults;
    if (this.chance(ledger)) return 'fail-before';
    return this.chance(ledger) ? 'fail-after' : null;
  }

  isDead(pid: number): boolean {
    return this.#pids[pid]?.process.isDead === true;
  }

  isRefused(address: string): boolean {
    return this.#at.get(address)?.process.isDead !== false;
  }

  /** Null where it is passive; waits while it is stopped. */
  async coreAt(address: string): Promise<{ readonly core: Loop; readonly process: SimProcess } | null> {
    const there = this.#at.get(address);
    if (there === undefined) return null;
    await there.process.on();
    return there.loop === null ? null : { core: there.loop, process: there.process };
  }

  onExecuted(index: number, by: string): void {
    this.executions.set(index, [...(this.executions.get(index) ?? []), by]);
  }

  onCoordinatorEnded(coordinator: SimCoordinator, end: End): void {
    this.ends.push(end.kind);
    if (end.kind === 'completed') this.isCompleted = true;
    else this.#restartLater(coordinator);
  }

  source(clock: Clock): Source {
    const { items, invalid } = this.options;
    return {
      lines: async (indexes) => {
        await clock.sleep(1);
        return indexes.map((index) => ({ index, line: Buffer.from(`item ${index}`), lineNumber: index + 1 }));
      },
      invalidReason: async (index) => ({ code: 'invalid_json', message: 'not JSON', customId: null, lineNumber: index + 1 }),
      survey: async (from, count) => {
        const upTo = Math.min(items, from + Math.min(count, 7));
        return { upTo, invalid: [...invalid].filter((index) => index >= from && index < upTo).sort((a, b) => a - b) };
      },
      indexed: () => ({ count: items, items }),
    };
  }

  /** Killed in between, the frames may stand in the segment or not; stopped, they stand there later. */
  async append(process: SimProcess, epoch: number, frames: readonly Frame[]): Promise<void> {
    await process.clock.sleep(1 + this.random.next() * 20);
    this.frames.push(...frames.map((frame) => ({ ...frame, epoch })));
    await process.clock.sleep(this.random.next() * 10);
  }

  #witness(): Ledger {
    const { ledger } = this;
    return {
      ...ledger,
      settle: async (epoch, worker, outcomes) => {
        const reply = await ledger.settle(epoch, worker, outcomes);
        if (reply.kind !== 'settled') return reply;
        outcomes.forEach(({ index, attempt }, at) => {
          if (reply.verdicts[at] !== 'accepted') return;
          if (this.accepted.has(index)) this.fail(new Error(`item ${index} was accepted twice`));
          this.accepted.set(index, `${worker}/${attempt}`);
        });
        return reply;
      },
    };
  }

  #startCoordinator(address: string): void {
    const coordinator = new SimCoordinator(this, address);
    this.#at.set(address, coordinator);
    this.coordinators.push(coordinator);
    coordinator.start(this.#pids.push(coordinator) - 1);
  }

  #restartLater({ address }: SimCoordinator): void {
    this.clock.after(100 + this.random.next() * 3_000, () => {
      if (!this.isCompleted) this.#startCoordinator(address);
    });
  }

  /** Once a second chance strikes. */
  #strike(): void {
    for (const coordinator of this.#at.values()) if (!coordinator.isOver) this.#strikeCoordinator(coordinator);
    for (const worker of this.workers) if (!worker.isOver && !worker.process.isDead) this.#strikeWorker(worker);
  }

  #strikeCoordinator(coordinator: SimCoordinator): void {
    this.#hint(coordinator);
    const { coordinatorCrash, coordinatorStop, coordinatorEnd } = this.options.faults;
    if (this.chance(coordinatorCrash)) {
      coordinator.kill();
      this.#restartLater(coordinator);
    } else if (this.chance(coordinatorStop)) this.#stopFor(coordinator.process);
    else if (coordinator.loop !== null && this.chance(coordinatorEnd)) coordinator.interrupt();
  }

  /** Any word about one worker; once it is quiet, that nothing holds any more. */
  #hint({ loop }: SimCoordinator): void {
    const isQuiet = this.clock.monotonicMs() >= this.#quietFromMs;
    for (const { id: worker } of this.workers) {
      if (!isQuiet && !this.chance(this.options.faults.hint)) continue;
      const severity = isQuiet ? 'withdrawn' : this.#pick(['hint', 'drain', 'gone', 'withdrawn'] as const);
      const deadlineMs = Math.floor(this.random.next() * 5_000);
      loop?.hint({ node: null, worker, severity, provider: null, deadlineMs, reason: 'chance' });
    }
  }

  #pick<T>(of: readonly [T, ...T[]]): T {
    return of[Math.floor(this.random.next() * of.length)] ?? of[0];
  }

  #strikeWorker(worker: SimWorker): void {
    const { workerCrash, workerStop, workerDrain } = this.options.faults;
    if (this.chance(workerCrash)) worker.crash();
    else if (this.chance(workerStop)) this.#stopFor(worker.process);
    else if (this.chance(workerDrain)) worker.drain();
  }

  #stopFor(process: SimProcess): void {
    process.stop();
    this.clock.after(this.random.next() * LONGEST_STOP_MS, () => process.continue());
  }

  /** Chance strikes for `faultsMs`; then everything has until `untilMs`. */
  async run(faultsMs: number, untilMs: number): Promise<void> {
    this.#quietFromMs = this.clock.monotonicMs() + faultsMs;
    for (const address of this.addresses) this.#startCoordinator(address);
    for (const worker of this.workers) this.clock.after(this.random.next() * 500, () => worker.start());
    this.clock.every(1_000, () => this.#strike());
    while (this.failure === null && this.clock.monotonicMs() < untilMs) {
      await settlePromises();
      if (this.isCompleted || !this.clock.runNext()) return;
    }
  }
}
