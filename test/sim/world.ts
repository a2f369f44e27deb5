import { silentLog } from '../../runtime/base/log.ts';
import { type Random, seededRandom } from '../../runtime/base/random.ts';
import { createLedgerWriter } from '../../runtime/coordinator/ledger-writer.ts';
import { createLoop, type Loop } from '../../runtime/coordinator/loop.ts';
import { stateFrom } from '../../runtime/coordinator/mirror.ts';
import { createPerformer } from '../../runtime/coordinator/performer.ts';
import { createRecorder } from '../../runtime/coordinator/recorder.ts';
import { Replies } from '../../runtime/coordinator/replies.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory.ts';
import type { RunEvent } from '../../runtime/model/event.ts';
import type { Frame } from '../../runtime/results/contract.ts';
import { createFaultyLedger, type Fault } from '../support/faulty-ledger.ts';
import { SETTINGS } from '../support/machine.ts';
import { ManualClock, settlePromises } from '../support/manual-clock.ts';
import { SimWorker } from './sim-worker.ts';
import { createSlowLedger } from './slow-ledger.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly items: number;
  readonly invalid: ReadonlySet<number>;
  readonly workers: number;
  /** Chance, per decision, that the thing goes wrong. */
  readonly faults: {
    readonly ledger: number;
    readonly reply: number;
    readonly workerCrash: number;
    readonly coordinatorCrash: number;
    readonly failure: number;
  };
}

/** More than fail in a row by chance: here the endpoint is never at fault. */
const BREAKER = 20;

/** One accepted frame of the log, as export would find it. */
export interface LogFrame extends Frame {
  readonly epoch: number;
}

/** One run of the real machine and loop over fake edges: memory ledger, log in memory, workers that follow the protocol. */
export class World {
  readonly clock: ManualClock = new ManualClock();
  readonly random: Random;
  readonly options: WorldOptions;
  readonly ledger: Ledger = createMemoryLedger();
  readonly frames: LogFrame[] = [];
  readonly events: RunEvent[] = [];
  readonly workers: SimWorker[] = [];
  /** What the ledger accepted: the author of each record (L21). */
  readonly accepted: Map<number, string> = new Map();
  /** Executions begun, by item. */
  readonly executions: Map<number, number> = new Map();
  loop: Loop | null = null;
  epoch = -1;
  outcome: 'completed' | 'paused' | null = null;
  failure: unknown = null;
  crashes = 0;

  /** The first thing that broke is what the run is judged by. */
  readonly fail = (cause: unknown): void => {
    this.failure ??= cause;
  };

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    for (let at = 0; at < options.workers; at += 1) this.workers.push(new SimWorker(this, `w${at}`));
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** Starts a coordinator under the next epoch; the one before is dead. */
  async startCoordinator(): Promise<void> {
    const expected = await this.ledger.readLease();
    const process = { bootId: 'b', pid: 1, startTime: '1', uid: 0 };
    const holder = this.random.hex(4);
    const won = await this.ledger.acquire({ holder, process, address: 'x', expected, floor: this.epoch });
    if (won.kind !== 'won') throw new Error(`lease not won: ${won.kind}`);
    this.epoch = won.lease.epoch;
    const epoch = this.epoch;
    await this.ledger.bind(epoch, { placeId: 'p', runId: 'r' });
    const scan = await this.ledger.scan(epoch);
    if (scan.kind !== 'scanned') throw new Error('scan refused');
    if (scan.progress.state.kind === 'completed') {
      this.outcome = 'completed';
      return;
    }
    this.loop = this.#loopFor(epoch, stateFrom({ ...SETTINGS, breaker: BREAKER }, epoch, scan, this.clock.monotonicMs()));
    this.loop.start();
  }

  #loopFor(epoch: number, state: ReturnType<typeof stateFrom>): Loop {
    const isAlive = (): boolean => this.epoch === epoch && this.loop === loop;
    const fail = (cause: unknown): void => {
      if (isAlive()) this.failure ??= cause;
    };
    const ledger = createFaultyLedger(createSlowLedger(this.#witnessed(), this.random, this.clock), () => this.#fault());
    const replies = new Replies();
    const writer = createLedgerWriter({
      keeper: { ensureFresh: async () => ({ kind: 'fresh' }) },
      clock: this.clock,
      random: this.random,
      onFenced: () => undefined,
    });
    const indexed = (): { count: number; items: number } => ({ count: this.options.items, items: this.options.items });
    const loop = createLoop({
      runId: 'r',
      state,
      clock: this.clock,
      replies,
      indexed,
      onFailure: fail,
      perform: (tell) =>
        createPerformer({
          epoch,
          ledger,
          writer,
          replies,
          tell,
          form: 'batch',
          clock: this.clock,
          log: silentLog,
          events: { emit: (event) => void this.events.push(event), close: async () => undefined },
          source: this.#source(indexed),
          onFailure: fail,
          exportResults: async () => undefined,
          onStop: (outcome) => {
            if (isAlive()) this.outcome = outcome;
          },
          recorder: createRecorder({
            log: { epoch, append: (frames) => this.#append(epoch, frames), close: async () => undefined },
            ledger,
            writer,
            onRecorded: (recordings, verdicts) => tell({ kind: 'recorded', recordings, verdicts }),
            onFailure: fail,
          }),
        }),
    });
    return loop;
  }

  #fault(): Fault | null {
    const { ledger } = this.options.faults;
    if (this.chance(ledger)) return 'fail-before';
    return this.chance(ledger) ? 'fail-after' : null;
  }

  /** The ledger, with a witness of every acceptance. */
  #witnessed(): Ledger {
    return {
      ...this.ledger,
      settle: async (epoch, worker, outcomes) => {
        const reply = await this.ledger.settle(epoch, worker, outcomes);
        if (reply.kind !== 'settled') return reply;
        outcomes.forEach(({ index, attempt }, at) => {
          if (reply.verdicts[at] !== 'accepted') return;
          if (this.accepted.has(index)) this.failure ??= new Error(`item ${index} was accepted twice`);
          this.accepted.set(index, `${worker}/${attempt}`);
        });
        return reply;
      },
    };
  }

  #source(indexed: () => { count: number; items: number }): Parameters<typeof createPerformer>[0]['source'] {
    const { items, invalid } = this.options;
    return {
      lines: async (indexes) => {
        await this.clock.sleep(1);
        return indexes.map((index) => ({ index, line: Buffer.from(`item ${index}`), lineNumber: index + 1 }));
      },
      invalidReason: async (index) => ({ code: 'invalid_json', message: 'not JSON', customId: null, lineNumber: index + 1 }),
      survey: async (from, count) => {
        const upTo = Math.min(items, from + Math.min(count, 7));
        return { upTo, invalid: [...invalid].filter((index) => index >= from && index < upTo).sort((a, b) => a - b) };
      },
      indexed,
    };
  }

  async #append(epoch: number, frames: readonly Frame[]): Promise<void> {
    await this.clock.sleep(1 + this.random.next() * 20);
    if (this.epoch !== epoch) return new Promise(() => undefined);
    this.frames.push(...frames.map((frame) => ({ ...frame, epoch })));
    await this.clock.sleep(this.random.next() * 10);
  }

  crashCoordinator(): void {
    this.crashes += 1;
    this.loop?.stop(new Error('killed'));
    this.loop = null;
    this.clock.after(
      100 + this.random.next() * 3_000,
      () => void this.startCoordinator().catch((cause: unknown) => (this.failure ??= cause)),
    );
  }

  /** Runs until the coordinator has finished, something broke, or the time is up. */
  async run(untilMs: number): Promise<void> {
    await this.startCoordinator();
    for (const worker of this.workers) worker.start();
    for (;;) {
      await settlePromises();
      if (this.outcome !== null || this.failure !== null || this.clock.monotonicMs() > untilMs) return;
      const mayCrash = this.loop !== null && this.crashes < 5;
      if (mayCrash && this.chance(this.options.faults.coordinatorCrash)) this.crashCoordinator();
      if (!this.clock.runNext()) return;
    }
  }
}
