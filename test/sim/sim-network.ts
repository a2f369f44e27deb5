import type { Random } from '../../runtime/base/random.ts';
import type { Loop } from '../../runtime/coordinator/perform/loop.ts';
import type { Beat, BeatReply, Poll, PollReply } from '../../runtime/model/session.ts';
import { BeatsClient, type BeatsListener, type BeatsStream } from '../../runtime/rpc/beats-client.ts';
import type { Answered, WorkerClient } from '../../runtime/rpc/client.ts';
import type { SimCoordinator } from './sim-coordinator.ts';
import { type Caller, KEEPALIVE_MS, LATEST_MS, type LinkState } from './sim-link.ts';
import { SimStream, type SimStreamKind } from './sim-stream.ts';
import { between } from './swarm.ts';
import type { World } from './world.ts';

/** Whatever a worker says to a coordinator, and the answer, takes its time, comes twice, or gets lost. */
export function dial(world: World, caller: Caller, address: string): WorkerClient {
  const line = new Line(world, caller, address);
  const { wire } = world;
  const beats = new BeatsClient((listener) => openBeats(world, caller, address, listener), caller.clock);
  return {
    beat: (beat, deadlineMs) =>
      world.plan.transport === 'stream'
        ? beats.beat(beat, deadlineMs)
        : line.call(deadlineMs, (core, _, there) => {
            world.checkers.failure.onBeat(there.process, beat);
            return core.beat(wire.beat(beat)).then((reply) => wire.beatReply(reply));
          }),
    poll: (poll, deadlineMs, signal) =>
      line.call(
        deadlineMs,
        async (core, gone, { process }) => {
          const onAnswer = world.checkers.hello.onHeard(process, poll);
          const reply = await core.poll(wire.poll(poll), gone);
          onAnswer?.(reply);
          return wire.pollReply(reply);
        },
        signal,
      ),
    session: (listener) => new SimStream(world, caller, address, sessionsOf(world), listener),
    deregister: (deregistration, deadlineMs = 5_000) =>
      line.call(deadlineMs, (core) => core.deregister(wire.deregistration(deregistration)).then((reply) => wire.deregistered(reply))),
    identify: async () => ({ kind: 'unreachable', detail: '' }),
    close: () => beats.close(),
  };
}

function sessionsOf({ wire, checkers }: World): SimStreamKind<Poll, PollReply> {
  return {
    name: 'stream',
    open: (core, poll, writer) => core.session(poll.workerId, writer),
    onHeard: (there, poll) => checkers.hello.onHeard(there, poll) ?? null,
    up: (poll) => wire.poll(poll),
    down: (reply) => wire.pollReply(reply),
  };
}

/** A nearly empty message means what the one before it meant: both sides are mapped as on one stream. */
function openBeats(world: World, caller: Caller, address: string, listener: BeatsListener): BeatsStream {
  const { wire, checkers } = world;
  let heard: Beat | null = null;
  let answered: BeatReply | null = null;
  const kind: SimStreamKind<Beat, BeatReply> = {
    name: 'beats',
    open: (core, beat, writer) => core.beats(beat.workerId, writer),
    onHeard: (there, beat) => {
      checkers.failure.onBeat(there, beat);
      return null;
    },
    up: (beat) => {
      heard = wire.beatAfter(beat, heard);
      return heard;
    },
    down: (reply) => {
      answered = wire.beatReplyAfter(reply, answered);
      return answered;
    },
  };
  const stream = new SimStream(world, caller, address, kind, listener);
  return { say: (beat) => stream.say(beat, () => undefined), close: () => stream.close() };
}

class Line {
  readonly #world: World;
  readonly #caller: Caller;
  readonly #address: string;
  readonly #random: Random;
  readonly #link: LinkState;

  constructor(world: World, caller: Caller, address: string) {
    this.#world = world;
    this.#caller = caller;
    this.#address = address;
    this.#random = world.stream(`line ${caller.worker} ${address}`);
    this.#link = world.link(caller.worker, address);
  }

  call<T extends { readonly epoch: number }>(
    deadlineMs: number,
    ask: (core: Loop, gone: AbortSignal, there: SimCoordinator) => Promise<T>,
    outer?: AbortSignal,
  ): Promise<Answered<T>> {
    return new Promise((resolve) => {
      const gone = new AbortController();
      let isOver = false;
      const end = (answer: Answered<T>): void => {
        if (isOver) return;
        isOver = true;
        timer.stop();
        outer?.removeEventListener('abort', onAbort);
        // The word that nobody waits any more travels as well.
        this.#after(() => gone.abort());
        if (answer.kind === 'reply') this.#caller.onReply(answer.reply);
        resolve(answer);
      };
      const fail = (detail: string): void => end({ kind: 'unreachable', detail });
      const onAbort = (): void => fail('aborted');
      const timer = this.#caller.process.clock.after(deadlineMs, () => this.#caller.whenOn(() => fail('deadline')));
      if (outer?.aborted === true) return onAbort();
      outer?.addEventListener('abort', onAbort, { once: true });
      this.#send(ask, gone.signal, (answer) => this.#caller.whenOn(() => end(answer)));
    });
  }

  #send<T extends { readonly epoch: number }>(
    ask: (core: Loop, gone: AbortSignal, there: SimCoordinator) => Promise<T>,
    gone: AbortSignal,
    answer: (answer: Answered<T>) => void,
  ): void {
    const { faults, queue } = this.#world;
    const refuse = (detail: string) => (): void => answer({ kind: 'unreachable', detail });
    const there = this.#world.at(this.#address);
    if (queue.nowMs < this.#link.refusedUntilMs || there === null) return this.#after(refuse('refused'));
    const isCut = queue.nowMs < this.#link.requestsCutUntilMs;
    if (isCut || faults.strikes('request-lost')) return void queue.after(KEEPALIVE_MS, refuse('no answer to a ping'));
    this.#after(() => this.#deliver(there, ask, gone, answer));
    if (faults.strikes('request-twice'))
      queue.after(this.#random.next() * LATEST_MS, () => this.#deliver(there, ask, gone, () => undefined));
  }

  #deliver<T extends { readonly epoch: number }>(
    there: SimCoordinator,
    ask: (core: Loop, gone: AbortSignal, there: SimCoordinator) => Promise<T>,
    gone: AbortSignal,
    answer: (answer: Answered<T>) => void,
  ): void {
    const { process } = there;
    const reset = (): void => this.#after(() => answer({ kind: 'unreachable', detail: 'reset' }));
    if (process.isDead) return reset();
    // With its process a connection dies, and whatever is still on its way there.
    if (this.#caller.process.isDead) return;
    const isSpared = process.onDeath(() => this.#world.queue.after(this.#random.next() < 0.7 ? 1 : KEEPALIVE_MS, reset));
    process.whenOn(() => {
      const loop = there.leading;
      if (loop === null) {
        isSpared();
        return this.#after(() => answer({ kind: 'not-leader', primaryAddress: there.primaryAddress() }));
      }
      // A caller that has hung up before its words arrive is heard all the same.
      const heard = new AbortController();
      if (gone.aborted) this.#after(() => heard.abort());
      else gone.addEventListener('abort', () => process.whenOn(() => heard.abort()), { once: true });
      ask(loop, heard.signal, there).then(
        (reply) => {
          isSpared();
          this.#world.checkers.talk.onReply(process, this.#caller.worker, reply);
          this.#answer(reply, answer);
        },
        () => {
          isSpared();
          reset();
        },
      );
    });
  }

  #answer<T>(reply: T, answer: (answer: Answered<T>) => void): void {
    const { faults, queue } = this.#world;
    const isCut = queue.nowMs < this.#link.repliesCutUntilMs;
    if (isCut || faults.strikes('reply-lost')) return void queue.after(KEEPALIVE_MS, () => answer({ kind: 'unreachable', detail: 'lost' }));
    this.#after(() => answer({ kind: 'reply', reply }));
  }

  #after(run: () => void): void {
    const isLate = this.#world.faults.strikes('message-late');
    const ms = isLate ? this.#random.next() * LATEST_MS : between(this.#random, 0.1, 1) * this.#world.plan.travelMs;
    this.#world.queue.after(ms, run);
  }
}
