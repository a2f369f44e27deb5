import { silentLog } from '../../runtime/base/log.ts';
import { plainRef, refKey } from '../../runtime/model/row.ts';
import type { Assignment, Outcome } from '../../runtime/model/session.ts';
import type { Ending } from '../../runtime/worker/commands.ts';
import { createLink, type Link } from '../../runtime/worker/link.ts';
import { WorkerLoop } from '../../runtime/worker/loop.ts';
import type { Outbox } from '../../runtime/worker/outbox.ts';
import { checkState, newState, type State } from '../../runtime/worker/state.ts';
import { startHeart } from './sim-heart.ts';
import { dial } from './sim-network.ts';
import { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const CONCURRENCY = 4;

/** One worker by id: its outbox lasts, its processes come and go. In each runs the real loop, machine and link. */
export class SimWorker {
  readonly id: string;
  readonly outcomes: Map<string, Outcome> = new Map();
  process: SimProcess;
  isOver = false;
  state: State | null = null;
  readonly #world: World;
  #loop: WorkerLoop | null = null;
  #highestEpoch = 0;
  #boot = 0;

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
    this.process = new SimProcess(world.clock);
  }

  start(): void {
    this.#boot += 1;
    this.process = new SimProcess(this.#world.clock);
    const { process } = this;
    this.#run(process)
      .then((why) => {
        if (process.isDead) return;
        process.kill();
        this.isOver = why === 'finished';
        if (why === 'superseded') this.#world.fail(new Error(`${this.id} was superseded`));
        if (!this.isOver) this.#restart(this.#world.random.next() * 2_000);
      })
      .catch((cause: unknown) => {
        if (!process.isDead) this.#world.fail(cause);
      });
  }

  /** Dies, and comes back after a while: sometimes within the failure timeout, sometimes not. */
  crash(): void {
    this.process.kill();
    this.#restart(this.#world.random.next() * 9_000);
  }

  drain(): void {
    this.#loop?.drain('told to');
  }

  #restart(afterMs: number): void {
    this.#loop = null;
    this.#world.clock.after(afterMs, () => this.start());
  }

  async #run(process: SimProcess): Promise<string> {
    const { random } = this.#world;
    const { clock } = process;
    const bootNonce = `${this.id}-${this.#boot}`;
    const link = (): Link =>
      createLink({
        dial: (address) => dial(this.#world, process, address),
        addresses: this.#world.addresses,
        clock,
        random,
        log: silentLog,
      });
    const found = [...this.outcomes.values()];
    const settings = {
      workerId: this.id,
      bootNonce,
      concurrency: CONCURRENCY,
      prefetch: 2,
      transport: this.#world.options.seed % 4 === 0 ? ('poll' as const) : ('stream' as const),
      heartbeatIntervalMs: 500,
      pollWaitMs: 20_000,
      selfFenceTimeoutMs: 4_000,
      waitCoordinatorMs: Number.POSITIVE_INFINITY,
      drainTimeoutMs: 3_000,
    };
    const state = newState(settings, this.#highestEpoch, found, clock.monotonicMs());
    this.state = state;
    const heartbeat = startHeart({
      concurrency: CONCURRENCY,
      onFailure: this.#world.fail,
      process,
      link: link(),
      id: this.id,
      bootNonce,
      epoch: this.#highestEpoch,
      onBeat: (beat) => loop.onBeat(beat),
    });
    const loop = new WorkerLoop({
      state,
      outbox: this.#outbox(process, found),
      slots: this.#slots(process),
      link: link(),
      heartbeat,
      probe: async () => {
        await clock.sleep(random.next() * 500);
        return { kind: 'ready' };
      },
      tickMs: 250,
      clock,
      log: silentLog,
    });
    this.#loop = loop;
    clock.every(1_000, () => checkState(state));
    const { why } = await loop.run();
    return why;
  }

  #outbox(process: SimProcess, found: readonly Outcome[]): Outbox {
    const after = async (change: () => void): Promise<void> => {
      await process.clock.sleep(this.#world.random.next() * 10);
      change();
    };
    return {
      found,
      highestEpoch: this.#highestEpoch,
      put: (outcome) => after(() => this.outcomes.set(refKey(outcome), outcome)),
      forget: (refs) =>
        after(() => {
          for (const ref of refs) this.outcomes.delete(refKey(ref));
        }),
      keepEpoch: (epoch) =>
        after(() => {
          this.#highestEpoch = Math.max(this.#highestEpoch, epoch);
        }),
      close: async () => undefined,
    };
  }

  #slots(process: SimProcess): ConstructorParameters<typeof WorkerLoop>[0]['slots'] {
    const running = new Map<string, AbortController>();
    const { random } = this.#world;
    return {
      run: async (assignment) => {
        const stop = new AbortController();
        running.set(refKey(assignment), stop);
        this.#world.onExecuted(assignment.index, `${this.id}/${assignment.attempt}`);
        await process.clock.sleep(random.next() * 800, stop.signal);
        running.delete(refKey(assignment));
        return stop.signal.aborted
          ? outcome(this.id, assignment, { kind: 'error', isRetryable: true, code: 'connection_reset' })
          : this.#ending(assignment);
      },
      stop: (ref) => running.get(refKey(ref))?.abort(),
      stopAll: () => {
        for (const stop of running.values()) stop.abort();
      },
    };
  }

  #ending(assignment: Assignment): Ending {
    const { failure, returns, refusal } = this.#world.options.faults;
    const { random } = this.#world;
    if (this.#world.chance(failure))
      return outcome(this.id, assignment, {
        kind: 'error',
        httpStatus: 500,
        isRetryable: true,
        code: 'http_500',
        delayMs: Math.floor(random.next() * 400),
      });
    if (this.#world.chance(refusal)) return outcome(this.id, assignment, { kind: 'error', httpStatus: 404, code: 'http_404' });
    if (!this.#world.chance(returns)) return outcome(this.id, assignment, {});
    const reason = random.next() < 0.5 ? 'throttled' : 'unavailable';
    return { kind: 'return', item: { ...plainRef(assignment), reason, delayMs: Math.floor(random.next() * 300) }, quietMs: 0 };
  }
}

function outcome(worker: string, assignment: Assignment, more: Partial<Outcome>): Ending {
  const line = Buffer.from(`${assignment.index} by ${worker} in attempt ${assignment.attempt}`);
  return {
    kind: 'outcome',
    outcome: { ...plainRef(assignment), kind: 'result', line, httpStatus: 200, code: '', isRetryable: false, delayMs: 0, ...more },
  };
}
