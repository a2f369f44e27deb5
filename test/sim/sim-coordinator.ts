import { RolloutError } from '../../runtime/base/errors.ts';
import type { Events } from '../../runtime/base/events.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { bootDisk } from '../../runtime/coordinator/boot/boot-disk.ts';
import { waitForLease } from '../../runtime/coordinator/boot/lease-candidate.ts';
import { type BootDisk, type Recovered, recover } from '../../runtime/coordinator/boot/recover.ts';
import { checkState } from '../../runtime/coordinator/machine/check-state.ts';
import { createCommitter } from '../../runtime/coordinator/perform/committer.ts';
import { createLedgerWriter } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { createLoop, type Loop } from '../../runtime/coordinator/perform/loop.ts';
import { createPerformer, type Perform } from '../../runtime/coordinator/perform/performer.ts';
import { createRecorder } from '../../runtime/coordinator/perform/recorder.ts';
import { Replies } from '../../runtime/coordinator/perform/replies.ts';
import type { Source } from '../../runtime/coordinator/perform/source.ts';
import { STARTING } from '../../runtime/coordinator/server/coordinator-status.ts';
import type { ServerContext } from '../../runtime/coordinator/server/listening.ts';
import { createEnd, type End, type FirstEnd } from '../../runtime/coordinator/shutdown/end.ts';
import type { Fact } from '../../runtime/coordinator/state/facts.ts';
import { stateFrom } from '../../runtime/coordinator/state/mirror.ts';
import type { State } from '../../runtime/coordinator/state/state.ts';
import type { LeaseHolder } from '../../runtime/lease/contract.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { InjectedFault } from '../support/faulty-ledger.ts';
import { RUN_ID, STATE } from './sim-disk.ts';
import type { SimProcess } from './sim-process.ts';
import { createSimSource } from './sim-source.ts';
import { connectStore } from './sim-store.ts';
import { checkTallies } from './tally-check.ts';
import type { World } from './world.ts';

/** How long the last words of an ending process may take (main.ts). */
const FAREWELL_MS = 2_500;
const STALL = { stallAfterMs: 180_000, stallTimeoutMs: Number.POSITIVE_INFINITY };
const ROOM_LOOK_MS = 500;
const MIRROR_LOOK_MS = 500;
/** What a process may end with where something struck it, and start again. */
const MENDABLE: ReadonlySet<string> = new Set(['STORE_FAILED', 'RESULT_LOG_FAILED', 'ENOSPC', 'EIO']);

/** One coordinator process: the real lease candidate, boot, lease, writer, recorder, loop and machine, over a store and a disk that fail. */
export class SimCoordinator {
  readonly process: SimProcess;
  readonly address: string;
  loop: Loop | null = null;
  isOver = false;
  #isFenced = false;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #stop = new AbortController();
  readonly #context: ServerContext = { core: null, lease: null, coordinatorStatus: STARTING };
  readonly #events: Events;

  constructor(world: World, address: string) {
    this.#world = world;
    this.address = address;
    this.process = world.newProcess(`coordinator ${address}`);
    this.#ledger = connectStore(world, this.process);
    this.#events = { emit: (event) => world.onEvent(this.process, event), close: async () => undefined };
  }

  start(): void {
    this.#run().then(
      (end) => this.#leave(end),
      (cause: unknown) => this.#fail(cause),
    );
  }

  kill(): void {
    this.isOver = true;
    this.loop = null;
    this.process.kill();
  }

  /** As SIGTERM: the lease is given up and the next one follows at once. */
  interrupt(): void {
    this.process.whenOn(() => this.#stop.abort());
  }

  /** Where the lease is held, as a passive coordinator answers it. */
  primaryAddress(): string {
    return this.#context.lease?.address ?? '';
  }

  async #run(): Promise<End> {
    const { clock } = this.process;
    const recovered = await recover({
      ledger: this.#ledger,
      disk: this.#disk(),
      clock,
      events: this.#events,
      isResuming: true,
      isRerunning: false,
      onFenced: this.#onFenced,
      win: (floor) =>
        waitForLease({
          settings: { timing: this.#world.plan.timing },
          waitForDiskSpace: () => this.#waitForDiskSpace(),
          ledger: this.#ledger,
          floor,
          address: this.address,
          context: this.#context,
          process: { bootId: 'b', pid: this.process.pid, startTime: '1', uid: 0 },
          isDead: async ({ pid }) => this.#world.isDead(pid),
          signal: this.#stop.signal,
          clock,
          random: this.#world.stream(`chance of ${this.process.name}`),
          log: silentLog,
        }),
    });
    const { leaseHolder } = recovered;
    this.#world.onServing(this.process, leaseHolder.lease().epoch);
    const isCompleted = recovered.scan.progress.state.kind === 'completed';
    // The files are made again (serve.ts).
    if (isCompleted) this.#world.onExport();
    const end: End = isCompleted ? { kind: 'completed' } : await this.#serve(recovered);
    if (end.kind === 'fenced') leaseHolder.stop();
    else await this.#resign(leaseHolder);
    return end;
  }

  /** Waits while the disk is full, as every start does (wait-for-disk-space.ts). */
  async #waitForDiskSpace(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#world.queue.nowMs < this.#world.disk.fullUntilMs) await this.process.clock.sleep(ROOM_LOOK_MS, signal);
  }

  readonly #onFenced = (epoch: number, byEpoch: number): void => {
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#events.emit({ kind: 'coordinator_fenced', epoch, byEpoch });
  };

  async #resign(leaseHolder: LeaseHolder): Promise<void> {
    await Promise.race([leaseHolder.resign().catch(() => undefined), this.process.clock.sleep(FAREWELL_MS)]);
  }

  async #serve(recovered: Recovered): Promise<End> {
    const { clock } = this.process;
    const { plan } = this.#world;
    const { leaseHolder, scan } = recovered;
    const replies = new Replies();
    const end = createEnd(({ epoch }) => this.#onFenced(leaseHolder.lease().epoch, epoch));
    const { timing, drainTimeoutMs, maxAttempts, breaker, stragglers } = plan;
    const settings = { ...timing, drainTimeoutMs, maxAttempts, breaker, maxFailedItems: null, stragglers, ...STALL };
    const state = stateFrom(settings, leaseHolder.lease().epoch, scan, clock.monotonicMs());
    const source = createSimSource(plan, clock, () => this.#world.coverage.count('claimed while the input was being indexed'));
    const perform = (tell: (fact: Fact) => void): Perform => checked(state, this.#performer(recovered, source, replies, end, tell));
    const loop = createLoop({ runId: RUN_ID, state, clock, replies, indexed: source.indexed, onFailure: end.fail, perform });
    leaseHolder.lost.then(end.fence).catch(end.fail);
    this.#stop.signal.addEventListener('abort', () => end.come({ kind: 'interrupted' }));
    loop.start();
    clock.every(MIRROR_LOOK_MS, () => checkState(state));
    this.loop = loop;
    try {
      return await end.promise;
    } finally {
      loop.stop(new RolloutError('COORDINATOR_UNREACHABLE', 'this coordinator has ended'));
      this.loop = null;
    }
  }

  #performer({ leaseHolder, log }: Recovered, source: Source, replies: Replies, end: FirstEnd, tell: (fact: Fact) => void): Perform {
    const { clock, name } = this.process;
    const random = this.#world.stream(`writer of ${name}`);
    const writer = createLedgerWriter({ leaseHolder, clock, random, onFenced: end.fence });
    const { epoch: ownEpoch } = leaseHolder.lease();
    const committer = createCommitter({ epoch: ownEpoch, ledger: this.#ledger, writer, tell, onFailure: end.fail });
    return createPerformer({
      epoch: ownEpoch,
      committer,
      ledger: this.#ledger,
      writer,
      replies,
      tell,
      form: 'batch',
      clock,
      log: silentLog,
      events: this.#events,
      source,
      onFailure: end.fail,
      onStoreBehind: async ({ worker, epoch }) => {
        this.#world.hold('L41', false, `${worker} says that it has seen epoch ${epoch}, which the store has not`);
        throw new Error('the store is behind');
      },
      exportResults: async () => this.#world.onExport(),
      onStop: (kind, reason) => end.come(kind === 'stalled' ? { kind, reason } : { kind }),
      recorder: createRecorder({
        log: {
          append: (frames) => {
            this.#world.checkers.log.onAppend(log.epoch, frames);
            this.#world.checkers.ledger.lease.onWord('append', this.process);
            return log.append(frames);
          },
        },
        writer,
        onDurable: committer.settle,
        onFailure: end.fail,
      }),
    });
  }

  #disk(): BootDisk {
    const { disk } = this.#world;
    const real = bootDisk(STATE, RUN_ID, disk.connect(this.process), this.#world.stream(`place of ${this.process.name}`));
    return {
      ...real,
      createLog: async (epoch, place) => {
        const log = await real.createLog(epoch, place);
        disk.segments.onCreated(epoch);
        return log;
      },
      checkSegments: async (tallies) => {
        await real.checkSegments(tallies);
        await checkTallies(this.#world, tallies);
      },
    };
  }

  #leave(end: End): void {
    this.kill();
    this.#world.onCoordinatorEnded(this, end.kind);
  }

  /** A failed store or disk ends a coordinator, and so does being told to end while it waits; anything else is a bug. */
  #fail(cause: unknown): void {
    if (this.process.isDead) return;
    const isFenced = cause instanceof RolloutError && cause.code === 'FENCED';
    const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const isMendable = cause instanceof InjectedFault || MENDABLE.has(code);
    this.kill();
    if (isFenced || isMendable || this.#stop.signal.aborted) {
      const why = code === '' ? 'a failed call' : code;
      return this.#world.onCoordinatorEnded(this, isFenced ? 'fenced' : why);
    }
    this.#world.fail(cause);
  }
}

/** Every command is carried out between two facts: then the parts of the state have to agree. */
function checked(state: State, perform: Perform): Perform {
  return (command) => {
    checkState(state);
    perform(command);
  };
}
