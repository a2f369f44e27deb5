import type { Random } from '../../runtime/base/random.ts';
import type { HintWord } from '../../runtime/model/drain.ts';
import type { SimCoordinator } from './sim-coordinator.ts';
import type { SimProcess } from './sim-process.ts';
import { SimWorker } from './sim-worker.ts';
import { pick } from './swarm.ts';
import type { World } from './world.ts';

const TICK_MS = 500;
/** How long a thing is held up or away, in failure timeouts: some are over before anybody notices, and some long after. */
const LONGEST_TIMEOUTS = 2.5;
const RESTART_MS = 3_000;
/** The steps of a wall clock: from half a second to half a day, forwards or back. */
const WALL_STEP_MS = { least: 500, most: 43_200_000 };

/** What goes wrong with whole processes, links, the store and the disk; and what starts again afterwards. */
export class Striker {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.stream('striker');
  }

  begin(): void {
    const { plan, queue } = this.#world;
    for (const address of this.#world.addresses) this.#world.startCoordinator(address);
    for (let at = 0; at < plan.workers; at += 1) {
      queue.after(this.#random.next() * 500, () => this.#world.startWorker(new SimWorker(this.#world, `w${at}`)));
    }
    queue.after(TICK_MS, () => this.#tick());
    queue.after(plan.faultsMs, () => this.#heal());
  }

  /** A supervisor starts the process again. */
  restart({ address }: SimCoordinator): void {
    this.#world.queue.after(100 + this.#random.next() * RESTART_MS, () => {
      if (!this.#world.isCompleted && this.#world.at(address) === null) this.#world.startCoordinator(address);
    });
  }

  /** On the same store, as another process: within the failure timeout, or after it. */
  startAgain({ id, outbox }: SimWorker): void {
    const ms = this.#random.next() * 2 * this.#world.plan.timing.coordinatorFailureTimeoutMs;
    this.#world.queue.after(ms, () => {
      if (!this.#world.isCompleted) this.#world.startWorker(new SimWorker(this.#world, id, outbox));
    });
  }

  crash(worker: SimWorker): void {
    if (worker.isOver) return;
    worker.crash();
    this.#world.workers.delete(worker);
    if (this.#random.next() < 0.5) this.#tellExit(worker);
    this.startAgain(worker);
  }

  /** The supervisor saw the exit (C1). */
  #tellExit({ id, process }: SimWorker): void {
    this.#world.queue.after(this.#random.next() * 100, () => {
      for (const coordinator of this.#world.coordinators()) {
        coordinator.process.whenOn(() => coordinator.loop?.tell({ kind: 'worker-exited', worker: id, pid: process.pid }));
      }
    });
  }

  #tick(): void {
    const { faults } = this.#world;
    this.#world.queue.after(TICK_MS, () => this.#tick());
    if (faults.isQuiet) return this.#withdraw();
    if (faults.strikes('everything-killed')) this.#killAll(true);
    if (faults.strikes('all-coordinators-killed')) this.#killAll(false);
    for (const coordinator of this.#world.coordinators()) this.#strikeCoordinator(coordinator);
    for (const worker of [...this.#world.workers]) this.#strikeWorker(worker);
    this.#strikeLinks();
    if (faults.strikes('store-away')) this.#world.storeAwayUntilMs = this.#until();
    if (faults.strikes('disk-full')) this.#world.disk.fullUntilMs = this.#until();
  }

  #killAll(isEverything: boolean): void {
    for (const coordinator of this.#world.coordinators()) this.kill(coordinator);
    if (isEverything) for (const worker of [...this.#world.workers]) this.crash(worker);
  }

  kill(coordinator: SimCoordinator): void {
    coordinator.kill();
    this.restart(coordinator);
  }

  #strikeCoordinator(coordinator: SimCoordinator): void {
    const { faults } = this.#world;
    const { process } = coordinator;
    if (faults.strikes('coordinator-killed')) return this.kill(coordinator);
    if (faults.strikes('coordinator-interrupted')) coordinator.interrupt();
    if (faults.strikes('coordinator-cut')) coordinator.storeCutUntilMs = this.#until();
    if (faults.strikes('coordinator-stopped')) this.#hold(process, 'stopped');
    if (faults.strikes('coordinator-suspended')) this.#hold(process, 'suspended');
    this.#strikeWallClock(process);
  }

  /** Small steps as often as large ones: a second is what a time server corrects, hours come from a paused machine. */
  #strikeWallClock(process: SimProcess): void {
    if (!this.#world.faults.strikes('wall-clock-stepped')) return;
    const { least, most } = WALL_STEP_MS;
    const ms = least * (most / least) ** this.#random.next();
    process.stepWallClock(this.#random.next() < 0.5 ? ms : -ms);
  }

  #strikeWorker(worker: SimWorker): void {
    const { faults } = this.#world;
    const { process } = worker;
    if (faults.strikes('worker-killed')) return this.crash(worker);
    if (faults.strikes('worker-drained')) worker.drain();
    this.#strikeWallClock(process);
    if (faults.strikes('worker-stopped')) this.#hold(process, 'stopped');
    if (faults.strikes('worker-disk-full')) worker.outbox.fullUntilMs = this.#until();
    if (faults.strikes('worker-blocked')) this.#hold(process, 'blocked');
    if (faults.strikes('worker-hinted')) this.#hint(worker.id, pick(this.#random, ['hint', 'drain', 'gone', 'withdrawn']));
    if (faults.strikes('worker-twin')) this.#twin(worker);
    if (faults.strikes('backend-away')) this.#world.backendAwayUntilMs.set(worker.id, this.#until());
  }

  /** A word about one worker, or that no word about it holds any more. */
  #hint(worker: string, severity: HintWord['severity']): void {
    const deadlineMs = Math.floor(this.#random.next() * 5_000);
    for (const { process, loop } of this.#world.coordinators()) {
      process.whenOn(() => loop?.hint({ node: null, worker, severity, provider: null, deadlineMs, reason: 'chance' }));
    }
  }

  #withdraw(): void {
    for (const { id } of this.#world.workers) this.#hint(id, 'withdrawn');
  }

  /** Its machine is given up and another one started under its name, with an empty store; then it comes back. */
  #twin(worker: SimWorker): void {
    this.#hold(worker.process, 'stopped');
    this.#world.startWorker(new SimWorker(this.#world, worker.id));
  }

  #strikeLinks(): void {
    const { faults } = this.#world;
    for (const link of this.#world.links()) {
      if (faults.strikes('requests-cut')) link.requestsCutUntilMs = this.#until();
      if (faults.strikes('replies-cut')) link.repliesCutUntilMs = this.#until();
      if (faults.strikes('link-refused')) link.refusedUntilMs = this.#until();
    }
  }

  #hold(process: SimProcess, kind: 'stopped' | 'suspended' | 'blocked'): void {
    if (process.isHeld) return;
    process.hold(kind);
    this.#world.queue.after(this.#until() - this.#world.queue.nowMs, () => process.release());
  }

  #until(): number {
    const { plan, queue } = this.#world;
    return queue.nowMs + this.#random.next() * LONGEST_TIMEOUTS * plan.timing.coordinatorFailureTimeoutMs;
  }

  /** From now on everything works. */
  #heal(): void {
    this.#world.storeAwayUntilMs = 0;
    this.#world.disk.fullUntilMs = 0;
    this.#world.backendAwayUntilMs.clear();
    for (const link of this.#world.links()) {
      link.requestsCutUntilMs = 0;
      link.repliesCutUntilMs = 0;
      link.refusedUntilMs = 0;
    }
    for (const coordinator of this.#world.coordinators()) {
      coordinator.storeCutUntilMs = 0;
      if (coordinator.process.isHeld) coordinator.process.release();
    }
    for (const { process, outbox } of this.#world.workers) {
      outbox.fullUntilMs = 0;
      if (process.isHeld) process.release();
    }
  }
}
