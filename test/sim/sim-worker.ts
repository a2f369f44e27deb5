import { RolloutError } from '../../runtime/base/errors.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { Poll } from '../../runtime/model/session.ts';
import type { WorkerClient } from '../../runtime/rpc/client.ts';
import type { Backend } from '../../runtime/worker/backends/contract.ts';
import { checkState } from '../../runtime/worker/check-state.ts';
import type { WorkerLoop } from '../../runtime/worker/loop.ts';
import type { Outbox, WaitForDiskSpace } from '../../runtime/worker/outbox/contract.ts';
import { createLink } from '../../runtime/worker/session/link.ts';
import type { State } from '../../runtime/worker/state.ts';
import { type Wire, work } from '../../runtime/worker/work.ts';
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

/** The main loop, or the thread that beats: each hears its own replies. */
type Thread = Pick<Caller, 'clock' | 'whenOn' | 'onReply'>;

/** What a process may end with where its disk failed it, and start again. */
const MENDABLE: ReadonlySet<string> = new Set(['STORE_FAILED']);

/** One process of a worker: all that the real one is joined from (worker/work.ts), on a disk that lasts. */
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
    const { worker } = this.#world.checkers;
    const { id, process, bootNonce } = this;
    const { plan, addresses } = this.#world;
    const { clock } = process;
    const seen = worker.boot(id, process);
    const boot: Boot = { worker: id, nonce: bootNonce, process, hasLeft: false };
    const end = await work({
      settings: { ...plan, workerId: id, waitBackendMs: WAIT_BACKEND_MS, coordinators: addresses, node: '' },
      bootNonce,
      pid: process.pid,
      diskSpace: (onShortage) => (signal) => this.outbox.waitForDiskSpace(process, signal, onShortage),
      openOutbox: (waitForDiskSpace) => this.#openOutbox(seen, boot, waitForDiskSpace),
      openBackend: async () => this.#backend(seen),
      answers: { keep: () => undefined },
      connect: async () => this.#wire(seen, boot),
      openKnownGood: async () => ({ note: () => undefined, ask: async () => ({ kind: 'answered' }) }),
      watchHints: async () => null,
      onReady: (loop, state) => this.#onReady(loop, state),
      clock,
      random: this.#world.stream(`chance of ${process.name}`),
      log: silentLog,
    });
    return end.why;
  }

  async #openOutbox(seen: Seen, boot: Boot, waitForDiskSpace: WaitForDiskSpace): Promise<Outbox> {
    const { worker, failure } = this.#world.checkers;
    const outbox = await this.outbox.open(this.process, waitForDiskSpace, (refs) => worker.onForgotten(seen, refs));
    worker.onOpened(seen, outbox.highestEpoch);
    failure.onBoot(boot);
    return outbox;
  }

  #onReady(loop: WorkerLoop, state: State): void {
    this.#loop = loop;
    this.state = state;
    this.process.clock.every(1_000, () => checkState(state));
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

  #backend(seen: Seen): Backend {
    const { worker } = this.#world.checkers;
    return createSimBackend({
      world: this.#world,
      process: this.process,
      worker: this.id,
      onExecuted: (ref) => worker.onExecuted(seen, ref),
      onStopped: (ref) => worker.onStopped(ref),
      onCrash: () => this.#world.onPoisoned(this),
    });
  }

  /** The main loop and the thread that beats have a connection each. */
  #wire(seen: Seen, boot: Boot): Wire {
    const { process } = this;
    const { clock, heartbeatClock } = process;
    const { worker } = this.#world.checkers;
    const main: Thread = { clock, whenOn: (run) => process.whenOn(run), onReply: (reply) => worker.onReply(seen, reply) };
    const beating: Thread = {
      clock: heartbeatClock,
      whenOn: (run) => process.heartbeatWhenOn(run),
      onReply: (reply) => worker.onBeatReply(seen, reply),
    };
    return {
      dial: (address) => this.#dial(seen, boot, main, address),
      startHeartbeat: (settings, { onBeat, onFailure }) =>
        startSimHeartbeat({
          settings,
          process,
          onBeat: (beat) => {
            worker.onBeatHeard(seen, beat);
            onBeat(beat);
          },
          onFailure,
          link: createLink({
            dial: (address) => this.#dial(seen, boot, beating, address),
            isHostUnknown: async () => false,
            addresses: settings.coordinators,
            clock,
            random: this.#world.stream(`link of ${process.name}`),
            log: silentLog,
          }),
        }),
      stop: () => undefined,
    };
  }

  #dial(seen: Seen, boot: Boot, thread: Thread, address: string): WorkerClient {
    const { process, id } = this;
    return this.#spied(seen, boot, dial(this.#world, { worker: id, process, ...thread }, address));
  }

  /** The checkers see what is sent, at the last moment before it is. */
  #spied(seen: Seen, boot: Boot, client: WorkerClient): WorkerClient {
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
        const toldBefore = seen.beatsTold;
        return client.beat(beat, deadlineMs).then((answer) => {
          worker.onBeatEnded(seen, answer, toldBefore);
          return answer;
        });
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
