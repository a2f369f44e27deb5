import { isDeepStrictEqual } from 'node:util';
import type { Events } from '../../runtime/base/events.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { bootDisk } from '../../runtime/coordinator/boot/boot-disk.ts';
import type { BootDisk } from '../../runtime/coordinator/boot/recover.ts';
import { lead } from '../../runtime/coordinator/lead.ts';
import { checkState } from '../../runtime/coordinator/machine/check-state.ts';
import type { Loop } from '../../runtime/coordinator/perform/loop.ts';
import type { RunPlace } from '../../runtime/coordinator/run-place.ts';
import { STARTING } from '../../runtime/coordinator/server/coordinator-status.ts';
import type { ServerContext } from '../../runtime/coordinator/server/listening.ts';
import type { State } from '../../runtime/coordinator/state/state.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import type { RunEvent } from '../../runtime/model/event.ts';
import type { InlineSession } from '../../runtime/results/inline/segments.ts';
import type { ResultLog } from '../../runtime/results/log/contract.ts';
import { InjectedFault } from '../support/faulty-ledger.ts';
import { RUN_ID, STATE } from './sim-disk.ts';
import type { SimProcess } from './sim-process.ts';
import { simResults } from './sim-results.ts';
import { SimIndexing, simInput } from './sim-source.ts';
import { connectStore } from './sim-store.ts';
import { checkTallies } from './tally-check.ts';
import type { World } from './world.ts';

/** After so long a deposed process is killed by its watchdog (main.ts). */
const FENCED_LIMIT_MS = 4_200;
/** How many coordinators find a log so large that they read it for long, and for how long. */
const LARGE_LOGS = 0.1;
const LOG_READ_MS = 12_000;
const SETTINGS = {
  maxFailedItems: null,
  stallAfterMs: 180_000,
  ...{ stallTimeoutMs: Number.POSITIVE_INFINITY, serveAfterEnd: false },
  form: 'batch',
} as const;
const ROOM_LOOK_MS = 500;
const MIRROR_LOOK_MS = 500;
/** What a process may end with where something struck it, and start again. */
const MENDABLE: ReadonlySet<string> = new Set(['STORE_FAILED', 'RESULT_LOG_FAILED', 'ENOSPC', 'EIO']);

/** As the trace and the coverage name them. */
const ENDS: Readonly<Partial<Record<ExitCode, string>>> = {
  [EXIT.done]: 'completed',
  [EXIT.someFailed]: 'completed',
  [EXIT.paused]: 'paused',
  [EXIT.fenced]: 'fenced',
  [EXIT.interrupted]: 'interrupted',
};

/** One coordinator process: all that the real one is joined from (coordinator/lead.ts), over a store and a disk that fail. */
export class SimCoordinator {
  readonly process: SimProcess;
  readonly address: string;
  isOver = false;
  /** It does not reach the store, which all others do. */
  storeCutUntilMs = 0;
  #state: State | null = null;
  #hasSaidFenced = false;
  readonly #isSupervised: boolean;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #session: InlineSession;
  readonly #stop = new AbortController();
  readonly #context: ServerContext = {
    core: null,
    lease: null,
    isLeaseFresh: () => false,
    coordinatorStatus: STARTING,
    storeTrouble: null,
  };
  readonly #events: Events;

  constructor(world: World, address: string) {
    this.#world = world;
    this.address = address;
    this.process = world.newProcess(`coordinator ${address}`);
    const { ledger, session } = connectStore(world, this.process, () => this.storeCutUntilMs);
    this.#ledger = ledger;
    this.#session = session;
    this.#isSupervised = world.stream(`parent of ${this.process.name}`).next() < 0.5;
    this.#events = { emit: (event) => this.#emit(event), close: async () => undefined };
  }

  start(): void {
    this.#run().then(
      (exit) => this.#leave(exit),
      (cause: unknown) => this.#fail(cause),
    );
  }

  kill(): void {
    this.isOver = true;
    this.process.kill();
  }

  /** As SIGTERM: the lease is given up and the next one follows at once. */
  interrupt(): void {
    this.process.whenOn(() => this.#stop.abort());
  }

  /** Null where it does not serve. */
  get loop(): Loop | null {
    return this.#context.core;
  }

  /** Null where it does not serve workers, since it does not lead or does not know whether it does. */
  get leading(): Loop | null {
    return this.#context.isLeaseFresh() ? this.#context.core : null;
  }

  /** Where the lease is held, as a passive coordinator answers it. */
  primaryAddress(): string {
    return this.#context.core === null ? (this.#context.lease?.address ?? '') : '';
  }

  async #run(): Promise<ExitCode> {
    const { plan } = this.#world;
    const { clock, name, pid } = this.process;
    return lead({
      runId: RUN_ID,
      settings: { ...plan, ...SETTINGS },
      place: this.#place(),
      ledger: this.#ledger,
      address: this.address,
      context: this.#context,
      process: { bootId: 'b', pid, startTime: '1', uid: 0 },
      isDead: async (holder) => this.#world.isDead(holder.pid),
      killedPid: () => null,
      isSupervised: this.#isSupervised,
      isResuming: true,
      isRerunning: false,
      stop: this.#stop.signal,
      waitForDiskSpace: () => this.#waitForDiskSpace(),
      watchdog: { arm: () => void clock.after(FENCED_LIMIT_MS, () => this.#bite()) },
      clock,
      random: this.#world.stream(`chance of ${name}`),
      events: this.#events,
      log: silentLog,
      testHook: { ledger: (ledger) => ledger, onServing: () => this.#watchState(), onCommand: (state) => this.#look(state) },
    });
  }

  #emit(event: RunEvent): void {
    if (event.kind === 'coordinator_fenced') this.#hasSaidFenced = true;
    this.#world.onEvent(this.process, event);
  }

  /** A real watchdog kills the process: then it has been waiting for something without end. */
  #bite(): void {
    this.#world.hold('L5', false, `${this.process.name} was still there ${FENCED_LIMIT_MS} ms after it was fenced`);
  }

  /** Every command is carried out between two facts: then the parts of the state have to agree. */
  #look(state: State): void {
    this.#state = state;
    checkState(state);
  }

  #watchState(): void {
    this.process.clock.every(MIRROR_LOOK_MS, () => {
      if (this.#state !== null) checkState(this.#state);
    });
  }

  /** Waits while the disk is full, as every start does (wait-for-disk-space.ts). */
  async #waitForDiskSpace(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#world.queue.nowMs < this.#world.disk.fullUntilMs) await this.process.clock.sleep(ROOM_LOOK_MS, signal);
  }

  /** A large log takes its time, in which another coordinator may follow. */
  async #readLog(): Promise<void> {
    const random = this.#world.stream(`log of ${this.process.name}`);
    if (random.next() < LARGE_LOGS) await this.process.clock.sleep(random.next() * LOG_READ_MS);
  }

  /** The files of the run, where they are not the simulation's matter: the log and the index are (sim-disk.ts, sim-source.ts). */
  #place(): RunPlace {
    const world = this.#world;
    const { clock } = this.process;
    return {
      disk: this.#disk(),
      startIndexing: () => new SimIndexing(world.plan, clock),
      openInput: async (indexing) =>
        simInput(world.plan, clock, indexing, () => world.coverage.count('claimed while the input was being indexed')),
      admit: null,
      refuseInvalid: null,
      keepIdentity: async () => undefined,
      checkLog: async ({ epoch, scan }) => {
        await this.#readLog();
        world.onServing(this.process, epoch);
        return { scan, checked: Promise.resolve() };
      },
      writeServing: async () => undefined,
      watchHints: async () => null,
      exportResults: async () => world.onExport(this.process),
      refuseStoreBehind: async (_, { worker, epoch }) => {
        world.hold('L41', false, `${worker} says that it has seen epoch ${epoch}, which the store has not`);
        throw new Error('the store is behind');
      },
    };
  }

  #disk(): BootDisk {
    const { disk } = this.#world;
    const own = disk.connect(this.process);
    const place = simResults(this.#world, this.process, this.#session, own);
    const real = bootDisk({ paths: STATE, runId: RUN_ID, place, isBesideLedger: this.#world.plan.results === 'inline', disk: own });
    return {
      ...real,
      createLog: async (epoch, place) => {
        const reply = await real.createLog(epoch, place);
        if (reply.kind === 'created') disk.segments.onCreated(epoch);
        return reply.kind === 'created' ? { ...reply, log: this.#watched(reply.log) } : reply;
      },
      checkSegments: async (tallies) => {
        await real.checkSegments(tallies);
        // One that stood still since it read them, and was deposed meanwhile, knows what the ledger was.
        if (isDeepStrictEqual(tallies, await this.#world.ledger.tallies())) await checkTallies(this.#world, tallies);
      },
    };
  }

  #watched(log: ResultLog): ResultLog {
    const append: ResultLog['append'] = (frames) => {
      this.#world.checkers.log.onAppend(log.epoch, frames);
      this.#world.checkers.ledger.lease.onWord('append', this.process);
      return log.append(frames);
    };
    return { epoch: log.epoch, append, room: () => log.room(), close: () => log.close() };
  }

  #leave(exit: ExitCode): void {
    this.kill();
    if (exit === EXIT.fenced) this.#world.hold('L5', this.#hasSaidFenced, `${this.process.name} ended fenced, and has not said so`);
    this.#world.onCoordinatorEnded(this, ENDS[exit] ?? `with ${exit}`);
  }

  /** A failed store or disk ends a coordinator, and so does being told to end while it waits; anything else is a bug. */
  #fail(cause: unknown): void {
    if (this.process.isDead) return;
    const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const isMendable = cause instanceof InjectedFault || MENDABLE.has(code);
    this.kill();
    if (isMendable) this.#world.onCoordinatorEnded(this, code === '' ? 'a failed call' : code);
    else this.#world.fail(cause);
  }
}
