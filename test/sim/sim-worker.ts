import { RolloutError } from '../../runtime/base/errors.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { Poll } from '../../runtime/model/session.ts';
import { checkState } from '../../runtime/worker/check-state.ts';
import { askReadiness } from '../../runtime/worker/endpoint/readiness.ts';
import { WorkerLoop } from '../../runtime/worker/loop.ts';
import type { Outbox } from '../../runtime/worker/outbox/contract.ts';
import { createLink, type Link } from '../../runtime/worker/session/link.ts';
import { createSlots } from '../../runtime/worker/slots.ts';
import { newState, type State } from '../../runtime/worker/state.ts';
import type { Boot } from './failure-checker.ts';
import { createSimBackend } from './sim-backend.ts';
import { startSimHeartbeat } from './sim-heartbeat.ts';
import type { Caller } from './sim-link.ts';
import { dial } from './sim-network.ts';
import { SimOutbox } from './sim-outbox.ts';
import type { SimProcess } from './sim-process.ts';
import type { Seen } from './worker-checker.ts';
import type { World } from './world.ts';

/** Longer than any outage of a backend here: a worker that gives up is another story. */
const WAIT_BACKEND_MS = 600_000;

/** What a process may end with where its disk failed it, and start again. */
const MENDABLE: ReadonlySet<string> = new Set(['STORE_FAILED']);

/** One process of a worker: the real loop, machine, link, slots and store, on a disk that lasts. */
export class SimWorker {
  readonly id: string;
  readonly process: SimProcess;
  readonly outbox: SimOutbox;
  /** Null until its store is open. */
  state: State | null = null;
  readonly bootNonce: string;
  isOver = false;
  drainedMs: number | null = null;
  readonly #world: World;
  #loop: WorkerLoop | null = null;

  constructor(world: World, id: string, outbox: SimOutbox = new SimOutbox(world, id)) {
    this.#world = world;
    this.id = id;
    this.outbox = outbox;
    this.process = world.newProcess(id);
    this.bootNonce = this.process.name;
  }

  start(): void {
    this.#run().then(
      (why) => this.#leave(why),
      (cause: unknown) => {
        if (cause instanceof RolloutError && MENDABLE.has(cause.code)) this.#leave(cause.code);
        else this.#world.fail(cause);
      },
    );
  }

  async #run(): Promise<string> {
    const { worker, failure } = this.#world.checkers;
    const { id, process, bootNonce } = this;
    const seen = worker.boot(id, process);
    const outbox = await this.outbox.open(process, (refs) => worker.onForgotten(seen, refs));
    worker.onOpened(seen, outbox.highestEpoch);
    const boot: Boot = { worker: id, nonce: bootNonce, process, hasLeft: false };
    failure.onBoot(boot);
    const state = newState(this.#settings(), outbox.highestEpoch, outbox.found, process.clock.monotonicMs());
    this.state = state;
    process.clock.every(1_000, () => checkState(state));
    this.#loop = this.#createLoop(state, outbox, seen, boot);
    try {
      return (await this.#loop.run()).why;
    } finally {
      await outbox.close();
    }
  }

  #leave(why: string): void {
    if (this.isOver) return;
    this.crash();
    this.#world.onWorkerEnded(this, why);
  }

  crash(): void {
    this.isOver = true;
    this.process.kill();
  }

  /** As SIGTERM. */
  drain(): void {
    const loop = this.#loop;
    if (loop === null) return;
    this.drainedMs ??= this.process.monotonicMs();
    this.process.whenOn(() => loop.drain('told to'));
  }

  #settings(): ConstructorParameters<typeof WorkerLoop>[0]['state']['settings'] {
    const { concurrency, prefetch, drainTimeoutMs, waitCoordinatorMs, transport, timing } = this.#world.plan;
    const { pollWaitMs, heartbeatIntervalMs, workerSelfFenceTimeoutMs: selfFenceTimeoutMs } = timing;
    const own = { workerId: this.id, bootNonce: this.bootNonce };
    const times = { drainTimeoutMs, waitCoordinatorMs, pollWaitMs, heartbeatIntervalMs, selfFenceTimeoutMs };
    const backend = { endpoints: ['http://model'], requestTimeoutMs: this.#world.plan.requestTimeoutMs, waitBackendMs: WAIT_BACKEND_MS };
    return { ...own, concurrency, prefetch, transport, ...backend, ...times };
  }

  #createLoop(state: State, outbox: Outbox, seen: Seen, boot: Boot): WorkerLoop {
    const { plan } = this.#world;
    const { process } = this;
    const { clock } = process;
    const random = this.#world.stream(`chance of ${process.name}`);
    const backend = createSimBackend({
      world: this.#world,
      process,
      worker: this.id,
      onExecuted: (ref) => this.#world.checkers.worker.onExecuted(seen, ref),
      onStopped: (ref) => this.#world.checkers.worker.onStopped(ref),
      onCrash: () => this.#world.onPoisoned(this),
    });
    const heartbeat = startSimHeartbeat({
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
      link: this.#link(seen, boot, { clock: process.heartbeatClock, whenOn: (run) => process.heartbeatWhenOn(run) }),
      onBeat: (beat) => loop.onBeat(beat),
    });
    const loop = new WorkerLoop({
      state,
      outbox,
      slots: createSlots({ backend, requestTimeoutMs: plan.requestTimeoutMs, clock, random }),
      link: this.#link(seen, boot, { clock: process.clock, whenOn: (run) => process.whenOn(run) }),
      heartbeat,
      answers: { keep: () => undefined },
      knownGood: { note: () => undefined, ask: async () => ({ kind: 'answered' }) },
      ask: (endpoint, tries, signal) => askReadiness({ backend, clock, random }, endpoint, tries, signal),
      tickMs: Math.min(250, plan.timing.heartbeatIntervalMs),
      clock,
      log: silentLog,
    });
    return loop;
  }

  #link(seen: Seen, boot: Boot, thread: Pick<Caller, 'clock' | 'whenOn'>): Link {
    const { worker } = this.#world.checkers;
    const { process, id } = this;
    const caller = { worker: id, process, ...thread, onReply: (reply: { readonly epoch: number }) => worker.onReply(seen, reply) };
    return createLink({
      dial: (address) => this.#spied(seen, boot, dial(this.#world, caller, address)),
      addresses: this.#world.addresses,
      clock: process.clock,
      random: this.#world.stream(`link of ${process.name}`),
      log: silentLog,
    });
  }

  /** The checkers see what is sent, at the last moment before it is. */
  #spied(seen: Seen, boot: Boot, client: ReturnType<typeof dial>): ReturnType<typeof dial> {
    const { worker } = this.#world.checkers;
    const { checker } = this.outbox;
    const onPollSent = (poll: Poll): void => {
      worker.onPollSent(seen, poll, (ref) => checker.isDurable(ref));
      checker.onPollSent(poll);
    };
    return {
      ...client,
      beat: (beat, deadlineMs) => {
        worker.onBeatSent(seen, beat.state);
        return client.beat(beat, deadlineMs).finally(() => worker.onBeatEnded(seen));
      },
      poll: (poll, deadlineMs, signal) => {
        onPollSent(poll);
        return client.poll(poll, deadlineMs, signal);
      },
      session: (listener) => {
        const stream = client.session(listener);
        return {
          say: (poll, onWritten) => {
            onPollSent(poll);
            stream.say(poll, onWritten);
          },
          close: () => stream.close(),
        };
      },
      deregister: (deregistration, deadlineMs) => {
        worker.onFarewell(seen);
        boot.hasLeft = true;
        return client.deregister(deregistration, deadlineMs);
      },
    };
  }
}
