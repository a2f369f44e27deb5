import type { Random } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import type { RunEvent } from '../../runtime/model/event.ts';
import { type Epoch, refKey } from '../../runtime/model/row.ts';
import type { Outcome } from '../../runtime/model/session.ts';
import { type Checkers, createCheckers } from './checkers.ts';
import type { Checking } from './checking.ts';
import { Coverage } from './coverage.ts';
import { EventQueue } from './event-queue.ts';
import { Faults } from './faults.ts';
import { Liveness } from './liveness.ts';
import { RuleBroken } from './rule-broken.ts';
import { SimCoordinator } from './sim-coordinator.ts';
import { SimDisk } from './sim-disk.ts';
import { SimInline } from './sim-inline.ts';
import { createSimLedger } from './sim-ledger.ts';
import type { LinkState } from './sim-link.ts';
import { SimProcess } from './sim-process.ts';
import { SimWire } from './sim-wire.ts';
import type { SimWorker } from './sim-worker.ts';
import { Striker } from './striker.ts';
import { between, streamOf, type WorldPlan } from './swarm.ts';
import { Trace } from './trace.ts';

/** More events than this in one second mean that two parts keep each other busy. */
const SPIN_EVENTS = 30_000;
const MOST_OFFSET_MS = 1_000_000;

/** Several real coordinators and several real workers, with nothing between them but chance. */
export class World {
  readonly plan: WorldPlan;
  readonly queue: EventQueue = new EventQueue();
  readonly coverage: Coverage = new Coverage();
  readonly trace: Trace;
  readonly faults: Faults;
  readonly ledger: Ledger = createSimLedger();
  /** Results in the store, where the plan has them there. */
  readonly inline: SimInline = new SimInline(this);
  readonly disk: SimDisk;
  readonly wire: SimWire = new SimWire((rule, condition, message) => this.hold(rule, condition, message));
  readonly checking: Checking;
  readonly checkers: Checkers;
  readonly addresses: readonly string[];
  /** The workers that are there now, twins of theirs included. */
  readonly workers: Set<SimWorker> = new Set();
  readonly backendAwayUntilMs: Map<string, number> = new Map();
  /** Bytes of every outcome that a worker has made durable, by item and attempt. */
  readonly outcomes: Map<string, Uint8Array> = new Map();
  storeAwayUntilMs = 0;
  /** Of the coordinator that began last. */
  servingSinceMs = 0;
  isExported = false;
  isCompleted = false;
  failure: unknown = null;
  readonly #striker: Striker;
  readonly #at = new Map<string, SimCoordinator>();
  readonly #processes: SimProcess[] = [];
  readonly #links = new Map<string, LinkState>();
  readonly #streams = new Map<string, number>();

  constructor(plan: WorldPlan, isTraced = false) {
    this.plan = plan;
    this.trace = new Trace(isTraced, () => this.queue.nowMs);
    this.faults = new Faults(plan, this.queue, this.coverage, this.trace);
    this.disk = new SimDisk(this);
    this.checking = this.#checking();
    this.checkers = createCheckers(this.checking, this.disk, plan.timing);
    this.addresses = Array.from({ length: plan.coordinators }, (_, at) => `c${at}:1`);
    this.#striker = new Striker(this);
    if (plan.results === 'inline') this.coverage.count('results in the store');
    if (plan.workers > 4) this.coverage.count('a world of more than four workers');
  }

  readonly fail = (cause: unknown): void => {
    this.failure ??= cause;
  };

  hold(rule: string, condition: boolean, message: string): void {
    if (!condition) this.fail(new RuleBroken(rule, message));
  }

  /** A new stream of chance, also where there was one for the same purpose. */
  stream(purpose: string): Random {
    const number = this.#streams.get(purpose) ?? 0;
    this.#streams.set(purpose, number + 1);
    return streamOf(this.plan.seed, `${purpose} ${number}`);
  }

  newProcess(name: string): SimProcess {
    const pid = this.#processes.length;
    const random = this.stream(`clock ${pid}`);
    const { clockSpread } = this.plan;
    const rate = between(random, 1 - clockSpread, 1 + clockSpread);
    const process = new SimProcess(this.queue, pid, `${name}.${pid}`, {
      rate,
      offsetMs: random.next() * MOST_OFFSET_MS,
      wallOffsetMs: between(random, -1, 1) * MOST_OFFSET_MS,
    });
    this.#processes.push(process);
    return process;
  }

  isDead(pid: number): boolean {
    return this.#processes[pid]?.isDead === true;
  }

  link(worker: string, address: string): LinkState {
    const key = `${worker} ${address}`;
    const link = this.#links.get(key) ?? { requestsCutUntilMs: 0, repliesCutUntilMs: 0, refusedUntilMs: 0 };
    this.#links.set(key, link);
    return link;
  }

  links(): readonly LinkState[] {
    return [...this.#links.values()];
  }

  /** Null where no process listens. */
  at(address: string): SimCoordinator | null {
    const there = this.#at.get(address);
    return there === undefined || there.process.isDead ? null : there;
  }

  coordinators(): readonly SimCoordinator[] {
    return [...this.#at.values()].filter(({ process }) => !process.isDead);
  }

  onEvent(process: SimProcess, event: RunEvent): void {
    if (event.kind !== 'worker_heartbeat')
      this.trace.note(
        event.kind,
        `${process.name}${'workerId' in event ? ` ${event.workerId}` : ''}${'bootNonce' in event ? ` ${event.bootNonce}` : ''}`,
      );
    if (event.kind === 'coordinator_fenced') {
      this.coverage.count('coordinator fenced at boot');
      this.checkers.ledger.lease.onFenced(process, event.epoch, event.byEpoch);
    }
    this.checkers.failure.onEvent(process, event);
  }

  onServing(process: SimProcess, epoch: Epoch): void {
    this.trace.note('serving', epoch);
    this.servingSinceMs = this.queue.nowMs;
    this.checkers.failure.onServing(process, epoch);
    this.checkers.hello.onServing(process);
  }

  /** Every item is recorded, and the ledger closed: the files are made. */
  onExport({ name }: SimProcess): void {
    this.trace.note('exported', name);
    if (this.isExported) this.coverage.count('exported again');
    this.isExported = true;
  }

  onCoordinatorEnded(coordinator: SimCoordinator, why: string): void {
    this.trace.note('ended', why);
    this.coverage.count(`coordinator ended ${why}`);
    if (why === 'completed') this.isCompleted = true;
    else this.#striker.restart(coordinator);
  }

  onWorkerEnded(worker: SimWorker, why: string): void {
    this.trace.note('left', `${worker.id} ${why}`);
    this.coverage.count(`worker left ${why}`);
    this.workers.delete(worker);
    if (why !== 'finished' && why !== 'superseded') this.#striker.startAgain(worker);
  }

  /** The machine of this process is off. */
  onPowerCut(process: SimProcess): void {
    const coordinator = this.coordinators().find((one) => one.process === process);
    if (coordinator !== undefined) this.#striker.kill(coordinator);
    for (const worker of [...this.workers]) if (worker.process === process) this.#striker.crash(worker);
  }

  onPoisoned(worker: SimWorker): void {
    this.#striker.crash(worker);
  }

  onOutcome(outcome: Outcome): void {
    this.outcomes.set(refKey(outcome), outcome.line);
  }

  startCoordinator(address: string): void {
    const coordinator = new SimCoordinator(this, address);
    this.#at.set(address, coordinator);
    coordinator.start();
  }

  startWorker(worker: SimWorker): void {
    this.workers.add(worker);
    worker.start();
  }

  /** Chance strikes for a while; then everything has to come to its end. Answers where a rule was broken, or the run is over. */
  async run(): Promise<void> {
    const liveness = new Liveness(this);
    this.#striker.begin();
    liveness.begin();
    let [second, events] = [0, 0];
    while (this.failure === null && !this.isCompleted) {
      await drained();
      if (!this.queue.runNext()) break;
      this.trace.tick();
      events += 1;
      if (this.queue.nowMs - second < 1_000) continue;
      this.hold('spin', events < SPIN_EVENTS, `${events} events in a second`);
      [second, events] = [this.queue.nowMs, 0];
    }
    await drained();
    this.hold('end', this.failure !== null || this.isCompleted, 'nothing was left to happen, and the run is not over');
  }

  #checking(): Checking {
    return {
      trace: this.trace,
      nowMs: () => this.queue.nowMs,
      hold: (rule, condition, message) => this.hold(rule, condition, message),
      count: (what) => this.coverage.count(what),
      isDead: (pid) => this.isDead(pid),
      scan: (epoch) => void this.ledger.scan(epoch).catch(this.fail),
      onMoved: (index, { worker, attempt, claimEpoch }) => this.checkers.worker.onMoved({ index, attempt, claimEpoch }, worker),
    };
  }
}

/** Lets every promise that can go on go on: they all do before the next turn of the event loop. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
