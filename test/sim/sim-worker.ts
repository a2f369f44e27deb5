import { silentLog } from '../../runtime/base/log.ts';
import { checkState } from '../../runtime/worker/check-state.ts';
import { createLink, type Link } from '../../runtime/worker/link.ts';
import { WorkerLoop } from '../../runtime/worker/loop.ts';
import { askReadiness } from '../../runtime/worker/readiness.ts';
import { createSlots } from '../../runtime/worker/slots.ts';
import { newState, type State } from '../../runtime/worker/state.ts';
import type { Boot } from './failure-checker.ts';
import { createSimBackend } from './sim-backend.ts';
import { startHeart } from './sim-heart.ts';
import { dial } from './sim-network.ts';
import { SimOutbox } from './sim-outbox.ts';
import type { SimProcess } from './sim-process.ts';
import type { Seen } from './worker-checker.ts';
import type { World } from './world.ts';

/** Longer than any outage of a backend here: a worker that gives up is another story. */
const WAIT_BACKEND_MS = 600_000;

/** One process of a worker: the real loop, machine, link and slots on a store that lasts. */
export class SimWorker {
  readonly id: string;
  readonly process: SimProcess;
  readonly outbox: SimOutbox;
  readonly state: State;
  readonly bootNonce: string;
  isOver = false;
  drainedMs: number | null = null;
  readonly #world: World;
  readonly #seen: Seen;
  readonly #loop: WorkerLoop;
  readonly #boot: Boot;

  constructor(world: World, id: string, outbox: SimOutbox = new SimOutbox(world, id)) {
    this.#world = world;
    this.id = id;
    this.outbox = outbox;
    this.process = world.newProcess(id);
    this.bootNonce = this.process.name;
    const { worker, failure } = world.checkers;
    const { process, bootNonce } = this;
    this.#seen = worker.boot(id, process, outbox.highestEpoch);
    this.#boot = { worker: id, nonce: bootNonce, process, hasLeft: false };
    failure.onBoot(this.#boot);
    const opened = outbox.open(process, (refs) => worker.onForgotten(this.#seen, refs));
    this.state = newState(this.#settings(), opened.highestEpoch, opened.found, process.clock.monotonicMs());
    this.#loop = this.#createLoop(opened);
  }

  start(): void {
    this.process.clock.every(1_000, () => checkState(this.state));
    this.#loop.run().then(
      ({ why }) => {
        this.process.kill();
        this.isOver = true;
        this.#world.onWorkerEnded(this, why);
      },
      (cause: unknown) => this.#world.fail(cause),
    );
  }

  crash(): void {
    this.isOver = true;
    this.process.kill();
  }

  /** As SIGTERM. */
  drain(): void {
    this.drainedMs ??= this.process.monotonicMs();
    this.process.whenOn(() => this.#loop.drain('told to'));
  }

  #settings(): ConstructorParameters<typeof WorkerLoop>[0]['state']['settings'] {
    const { concurrency, prefetch, drainTimeoutMs, waitCoordinatorMs, transport, timing } = this.#world.plan;
    const { pollWaitMs, heartbeatIntervalMs, workerSelfFenceTimeoutMs: selfFenceTimeoutMs } = timing;
    const own = { workerId: this.id, bootNonce: this.bootNonce };
    const times = { drainTimeoutMs, waitCoordinatorMs, pollWaitMs, heartbeatIntervalMs, selfFenceTimeoutMs };
    const backend = { endpoints: ['http://model'], requestTimeoutMs: this.#world.plan.requestTimeoutMs, waitBackendMs: WAIT_BACKEND_MS };
    return { ...own, concurrency, prefetch, transport, ...backend, ...times };
  }

  #createLoop(outbox: ReturnType<SimOutbox['open']>): WorkerLoop {
    const { plan } = this.#world;
    const { process } = this;
    const { clock } = process;
    const random = this.#world.stream(`chance of ${process.name}`);
    const backend = createSimBackend({
      world: this.#world,
      process,
      worker: this.id,
      onExecuted: (ref) => this.#world.checkers.worker.onExecuted(this.#seen, ref),
      onStopped: (ref) => this.#world.checkers.worker.onStopped(ref),
      onCrash: () => this.#world.onPoisoned(this),
    });
    const heartbeat = startHeart({
      settings: {
        workerId: this.id,
        bootNonce: this.bootNonce,
        concurrency: plan.concurrency,
        pid: process.pid,
        node: '',
        heartbeatIntervalMs: plan.timing.heartbeatIntervalMs,
        highestEpoch: outbox.highestEpoch,
      },
      onFailure: this.#world.fail,
      process,
      link: this.#link((run) => process.heartWhenOn(run)),
      onBeat: (beat) => this.#loop.onBeat(beat),
    });
    return new WorkerLoop({
      state: this.state,
      outbox,
      slots: createSlots({ backend, requestTimeoutMs: plan.requestTimeoutMs, clock, random }),
      link: this.#link((run) => process.whenOn(run)),
      heartbeat,
      answers: { keep: () => undefined },
      ask: (endpoint, tries, signal) => askReadiness({ backend, clock, random }, endpoint, tries, signal),
      tickMs: Math.min(250, plan.timing.heartbeatIntervalMs),
      clock,
      log: silentLog,
    });
  }

  #link(whenOn: (run: () => void) => void): Link {
    const { worker } = this.#world.checkers;
    const { process, id } = this;
    const caller = { worker: id, process, whenOn, onReply: (reply: { readonly epoch: number }) => worker.onReply(this.#seen, reply) };
    return createLink({
      dial: (address) => this.#spied(dial(this.#world, caller, address)),
      addresses: this.#world.addresses,
      clock: process.clock,
      random: this.#world.stream(`link of ${process.name}`),
      log: silentLog,
    });
  }

  /** The checkers see what is sent, at the last moment before it is. */
  #spied(client: ReturnType<typeof dial>): ReturnType<typeof dial> {
    const { worker } = this.#world.checkers;
    return {
      ...client,
      beat: (beat, deadlineMs) => {
        worker.onBeatSent(this.#seen, beat.state);
        return client.beat(beat, deadlineMs).finally(() => worker.onBeatEnded(this.#seen));
      },
      poll: (poll, deadlineMs, signal) => {
        worker.onPollSent(this.#seen, poll, (ref) => this.outbox.has(ref));
        return client.poll(poll, deadlineMs, signal);
      },
      session: (listener) => {
        const stream = client.session(listener);
        return {
          say: (poll, onWritten) => {
            worker.onPollSent(this.#seen, poll, (ref) => this.outbox.has(ref));
            stream.say(poll, onWritten);
          },
          close: () => stream.close(),
        };
      },
      deregister: (deregistration, deadlineMs) => {
        worker.onFarewell(this.#seen);
        this.#boot.hasLeft = true;
        return client.deregister(deregistration, deadlineMs);
      },
    };
  }
}
