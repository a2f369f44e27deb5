import type { Clock } from '../../base/clock.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { inTime } from '../../base/in-time.ts';
import type { ToParent } from '../../base/process/supervised.ts';
import type { Child, StartChild } from './child.ts';
import { describeEnd, NO_RESTARTS, type ProcessEnd, reasonGiven } from './restart.ts';
import { StoreWatch } from './store-watch.ts';
import { INTERRUPTED, type SupervisionEnd, type SupervisorPlan, type WorkerPlan } from './supervised-run.ts';
import { describeLeft, describeWait, exitWithoutWorkers, onCoordinatorEnd, onWorkerEnd, type WorkerAbsence } from './supervision.ts';

/**
 * Keeps one coordinator and the workers of a run alive until the run ends. What is done about each end is decided in
 * supervision.ts; here it is performed.
 *
 * Order that matters: the coordinator hears that a worker has ended before the worker's replacement starts, so that it never takes
 * the two for one. Workers do not wait for the coordinator's address, they are told it when it is known: a worker that goes on with
 * a run must say what it holds soon after the coordinator's start, or it is failed for its silence (L25, L37).
 */
export interface SupervisorDeps {
  readonly clock: Clock;
  readonly start: StartChild;
  /** For people: restarts and their reasons. */
  readonly notice: (line: string) => void;
  /** Called with every started process, before anything else is done with it. */
  readonly onStarted: (pid: number) => Promise<void>;
  /** Whether, as far as is known, items are still to be done. */
  readonly hasOpenItems: () => boolean;
  /** Whether a coordinator of this supervisor has been seen in office. */
  readonly hasServed: () => boolean;
  /** Whether the coordinator has been seen to know this worker: only then the worker hears of the run's end from it. */
  readonly isConnected: (worker: string) => boolean;
  /** The run ends: what still runs is told to hand over and to leave. */
  readonly onEnding: (end: SupervisionEnd) => void;
}

/** After the run's end workers hear it from the coordinator and leave; those that do not, or never found it, are told so. */
const LEAVE_MS = 5_000;
/** What a process gets beyond its drain timeout before it is killed. */
const GRACE_MS = 3_000;
/** How often it is asked whether a run without workers has ended: as often as the status comes in. */
const ASK_MS = 500;
/** How long such a run may seem unfinished: the status is up to a poll old. */
const UNFINISHED_MS = 5_000;
/** A part of it: after this the status tells whether a worker has left before the end. */
const LEFT_MS = 2_000;

export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #plan: SupervisorPlan;
  readonly #stop = new AbortController();
  readonly #workers = new Map<string, Child>();
  readonly #absences: { readonly why: WorkerAbsence; readonly failed: SupervisionEnd['failed'] }[] = [];
  #coordinator: Child | null = null;
  #addresses: readonly string[] = [];
  /** What the coordinator said last. */
  #lastWord: ToParent | null = null;
  readonly #store: StoreWatch;
  #interrupts = 0;
  #onInterrupt: () => void = () => undefined;

  constructor(deps: SupervisorDeps, plan: SupervisorPlan) {
    this.#deps = deps;
    this.#plan = plan;
    this.#store = new StoreWatch(deps.clock, plan.waitStoreMs);
  }

  /** host:port of the coordinator that spoke last; null before the first. */
  get address(): string | null {
    return this.#addresses[0] ?? null;
  }

  get isDraining(): boolean {
    return this.#interrupts > 0;
  }

  /** The run's end has come: the coordinator is gone, or will be. */
  get isEnding(): boolean {
    return this.#stop.signal.aborted;
  }

  /** First call: drain. Second call: everything is killed at once. */
  interrupt(): void {
    this.#interrupts += 1;
    this.#onInterrupt();
    if (this.#interrupts > 1) for (const child of this.#living()) child.signal('SIGKILL');
  }

  async run(): Promise<SupervisionEnd> {
    const interrupted = new Promise<SupervisionEnd>((resolve) => {
      this.#onInterrupt = () => resolve(INTERRUPTED);
    });
    if (this.#interrupts > 0) this.#onInterrupt();
    try {
      const coordinator = this.#keepCoordinator();
      const workers = this.#keepWorkers();
      const end = await Promise.race([interrupted, coordinator, workers, this.#store.untilGone(this.#stop.signal)]);
      this.#stop.abort();
      this.#deps.onEnding(end);
      await this.#wind(end.exit);
      const [last] = await Promise.all([coordinator, workers]);
      // The last item may have been recorded while everything else was being stopped.
      return last.exit === EXIT.done || last.exit === EXIT.someFailed ? last : end;
    } catch (error) {
      this.#stop.abort();
      for (const child of this.#living()) child.signal('SIGKILL');
      throw error;
    }
  }

  async #keepCoordinator(): Promise<SupervisionEnd> {
    let restarts = NO_RESTARTS;
    for (;;) {
      const child = await this.#startCoordinator();
      const end = await child.ended;
      this.#coordinator = null;
      const reason = reasonGiven(this.#lastWord);
      const action = onCoordinatorEnd(restarts, end, reason !== null);
      if (this.#stop.signal.aborted || action.kind === 'end') {
        const exit = action.kind === 'end' ? action.exit : EXIT.interrupted;
        const { logFile } = this.#plan.coordinator;
        const failed = action.kind === 'end' && action.isFailure ? { logFile, fromByte: child.logFromByte } : null;
        return { exit, failed, reason: reason ?? '' };
      }
      this.#deps.notice(`coordinator ${describeEnd(end)}; starting it again`);
      restarts = action.restarts;
      await this.#deps.clock.sleep(action.pauseMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return INTERRUPTED;
    }
  }

  async #startCoordinator(): Promise<Child> {
    const { coordinator, firstArguments } = this.#plan;
    const argv = this.#deps.hasServed() ? coordinator.argv : [...coordinator.argv, ...firstArguments];
    this.#lastWord = null;
    const child = await this.#deps.start({ ...coordinator, argv }, (message) => {
      if (message.kind === 'store') this.#store.hear(message.trouble);
      else this.#lastWord = message;
      this.#onMessage('coordinator', message);
    });
    this.#coordinator = child;
    await this.#adopt(child);
    return child;
  }

  #onMessage(name: string, message: ToParent): void {
    if (message.kind === 'listening') this.#onListening(message.address);
    else if (message.kind !== 'given-up' && message.kind !== 'store') this.#deps.notice(describeWait(name, message));
  }

  #onListening(address: string): void {
    this.#addresses = [address];
    for (const worker of this.#workers.values()) worker.tell({ kind: 'coordinators', addresses: this.#addresses });
  }

  /** The run may have been stopped while the process was being started. */
  async #adopt(child: Child): Promise<void> {
    await this.#deps.onStarted(child.pid);
    if (this.#stop.signal.aborted) child.signal(this.#interrupts > 1 ? 'SIGKILL' : 'SIGTERM');
  }

  /** Resolves when no worker is left, none will come, and the run cannot end without one. */
  async #keepWorkers(): Promise<SupervisionEnd> {
    await Promise.all(this.#plan.workers.map((plan) => this.#keepWorker(plan)));
    await this.#untilStuck();
    const failed = this.#absences.find((absence) => absence.failed !== null)?.failed ?? null;
    return { exit: exitWithoutWorkers(this.#absences.map((absence) => absence.why)), failed, reason: '' };
  }

  /** Workers leave when the run is finished too, and the coordinator may then be busy with the export for long. */
  async #untilStuck(): Promise<void> {
    const { clock, hasOpenItems } = this.#deps;
    let unfinishedMs = this.#absences.every((absence) => absence.why === 'drained') ? LEFT_MS : UNFINISHED_MS;
    while (!this.#stop.signal.aborted && unfinishedMs < UNFINISHED_MS) {
      await clock.sleep(ASK_MS, this.#stop.signal);
      unfinishedMs = hasOpenItems() ? unfinishedMs + ASK_MS : 0;
    }
  }

  async #keepWorker(plan: WorkerPlan): Promise<void> {
    const { clock, notice } = this.#deps;
    let restarts = NO_RESTARTS;
    while (!this.#stop.signal.aborted) {
      const { child, end } = await this.#runWorkerOnce(plan);
      if (this.#stop.signal.aborted) return;
      const action = onWorkerEnd(restarts, end);
      if (action.kind === 'stay-away') {
        const failed = action.why === 'drained' ? null : { logFile: plan.logFile, fromByte: child.logFromByte };
        this.#absences.push({ why: action.why, failed });
        if (action.why === 'drained') await this.#tellLeft(plan.name);
        else notice(`worker ${plan.name} ${describeEnd(end)} (${action.why}); it is not started again, see ${plan.logFile}`);
        return;
      }
      notice(`worker ${plan.name} ${describeEnd(end)}; starting it again`);
      restarts = action.restarts;
      await clock.sleep(action.pauseMs, this.#stop.signal);
    }
  }

  /** Workers leave when the run is finished too, which is known a little later. */
  async #tellLeft(name: string): Promise<void> {
    const { clock, hasOpenItems, notice } = this.#deps;
    await clock.sleep(LEFT_MS, this.#stop.signal);
    if (!this.#stop.signal.aborted && hasOpenItems()) notice(describeLeft(name));
  }

  async #runWorkerOnce(plan: WorkerPlan): Promise<{ readonly child: Child; readonly end: ProcessEnd }> {
    await plan.prepare(this.#addresses);
    const child = await this.#deps.start(plan, (message) => this.#onMessage(`worker ${plan.name}`, message));
    this.#workers.set(plan.name, child);
    await this.#adopt(child);
    // The coordinator may have come back elsewhere while the process was being started, and on a full disk the settings are old.
    if (this.#addresses.length > 0) child.tell({ kind: 'coordinators', addresses: this.#addresses });
    const end = await child.ended;
    this.#workers.delete(plan.name);
    this.#coordinator?.tell({ kind: 'worker-exited', workerId: plan.name, pid: child.pid });
    return { child, end };
  }

  /** Ends what still runs, workers first: they hand over and hand back while the coordinator is there. */
  async #wind(exit: ExitCode): Promise<void> {
    const isFinished = exit === EXIT.done || exit === EXIT.someFailed;
    if (isFinished) await this.#letLeave();
    // What is done is in their stores by then; a coordinator that waits would take none of it.
    const isQuick = isFinished || this.#lastWord?.kind === 'waiting';
    await this.#terminate([...this.#workers.values()], isQuick ? GRACE_MS : this.#plan.drainTimeoutMs + GRACE_MS);
    await this.#terminate(this.#coordinator === null ? [] : [this.#coordinator], this.#plan.drainTimeoutMs + GRACE_MS);
  }

  /** The coordinator is gone: a worker that had not found it by then would look for it in vain. */
  async #letLeave(): Promise<void> {
    for (const [name, worker] of this.#workers) if (!this.#deps.isConnected(name)) worker.signal('SIGTERM');
    await this.#waitFor([...this.#workers.values()], LEAVE_MS);
  }

  async #terminate(children: readonly Child[], withinMs: number): Promise<void> {
    for (const child of children) child.signal('SIGTERM');
    if (await this.#waitFor(children, withinMs)) return;
    for (const child of children) child.signal('SIGKILL');
    await Promise.all(children.map((child) => child.ended));
  }

  /** Whether all of them ended in time. */
  #waitFor(children: readonly Child[], withinMs: number): Promise<boolean> {
    return inTime(this.#deps.clock, withinMs, Promise.all(children.map((child) => child.ended)));
  }

  #living(): readonly Child[] {
    return [...this.#workers.values(), ...(this.#coordinator === null ? [] : [this.#coordinator])];
  }
}
