import type { Random } from '../../runtime/base/random.ts';
import type { Loop } from '../../runtime/coordinator/perform/loop.ts';
import type { StreamReceiver, StreamWriter } from '../../runtime/rpc/core.ts';
import type { Unanswered } from '../../runtime/rpc/status.ts';
import type { SimCoordinator } from './sim-coordinator.ts';
import { type Caller, LATEST_MS, type LinkState, STREAM_KEEPALIVE_MS } from './sim-link.ts';
import type { SimProcess } from './sim-process.ts';
import { between } from './swarm.ts';
import type { World } from './world.ts';

type Direction = 'up' | 'down';

/** What one kind of stream carries, and who looks at it. */
export interface SimStreamKind<Message, Reply> {
  readonly name: string;
  open(core: Loop, message: Message, writer: StreamWriter<Reply>): StreamReceiver<Message>;
  /** It has arrived; what comes back is told the reply that answers it. */
  onHeard(there: SimProcess, message: Message): ((reply: Reply) => void) | null;
  /** As it comes out at the other end of the wire. */
  up(message: Message): Message;
  down(reply: Reply): Reply;
}

export interface SimListener<Reply> {
  onReply(reply: Reply): void;
  onEnd(why: Unanswered): void;
}

/** A stream between a worker and a coordinator: in order, at times slow, and now and then it breaks or falls silent. */
export class SimStream<Message, Reply extends { readonly epoch: number }> {
  readonly #world: World;
  readonly #caller: Caller;
  readonly #kind: SimStreamKind<Message, Reply>;
  readonly #listener: SimListener<Reply>;
  readonly #random: Random;
  readonly #link: LinkState;
  readonly #there: SimCoordinator | null;
  readonly #lastArrivalMs: Record<Direction, number> = { up: 0, down: 0 };
  readonly #ofDeaths: (() => void)[] = [];
  #receiver: StreamReceiver<Message> | null = null;
  /** What the next reply, which answers a hello, has to hold. */
  #onAnswer: ((reply: Reply) => void) | null = null;
  /** Nothing passes any more, and nobody has noticed. */
  #isSilent = false;
  #isClosed = false;
  #isCut = false;

  constructor(world: World, caller: Caller, address: string, kind: SimStreamKind<Message, Reply>, listener: SimListener<Reply>) {
    this.#world = world;
    this.#caller = caller;
    this.#kind = kind;
    this.#listener = listener;
    this.#random = world.stream(`${kind.name} ${caller.worker} ${address}`);
    this.#link = world.link(caller.worker, address);
    this.#there = world.at(address);
    const isRefused = world.queue.nowMs < this.#link.refusedUntilMs;
    if (this.#there === null || isRefused) this.#end({ kind: 'unreachable', detail: 'refused' });
    else this.#watch(this.#there);
  }

  #watch(there: SimCoordinator): void {
    this.#ofDeaths.push(
      there.process.onDeath(() => this.#afterPing(() => this.#end({ kind: 'unreachable', detail: 'reset' }))),
      this.#caller.process.onDeath(() => this.#afterPing(() => this.#cut())),
    );
  }

  say(message: Message, onWritten: () => void): void {
    this.#carry('up', () => this.#hear(message));
    this.#world.queue.after(this.#travelMs(), () => {
      if (!this.#isOver()) this.#caller.whenOn(() => !this.#isOver() && onWritten());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cut();
  }

  #hear(message: Message): void {
    const there = this.#there as SimCoordinator;
    const { process } = there;
    process.whenOn(() => {
      if (this.#isOver()) return;
      const loop = there.leading;
      if (this.#receiver === null && loop === null)
        return this.#end({ kind: 'not-leader', primaryAddress: this.#there?.primaryAddress() ?? '' });
      this.#receiver ??=
        loop === null
          ? null
          : this.#kind.open(loop, message, {
              send: (reply, onLeft) => this.#speak(reply, onLeft),
              end: () => this.#endFromThere(),
              fail: () => this.#endFromThere(),
            });
      this.#onAnswer = this.#kind.onHeard(process, message) ?? this.#onAnswer;
      this.#receiver?.onMessage(this.#kind.up(message));
    });
  }

  #speak(reply: Reply, onLeft: () => void): void {
    const { process } = this.#there as SimCoordinator;
    if (this.#isOver()) return;
    this.#world.checkers.talk.onReply(process, this.#caller.worker, reply);
    this.#onAnswer?.(reply);
    this.#onAnswer = null;
    this.#world.queue.after(this.#travelMs(), () => process.whenOn(() => !this.#isOver() && onLeft()));
    this.#carry('down', () =>
      this.#caller.whenOn(() => {
        if (this.#isOver()) return;
        this.#caller.onReply(reply);
        this.#listener.onReply(this.#kind.down(reply));
      }),
    );
  }

  /** What was said before still arrives. */
  #endFromThere(): void {
    this.#carry('down', () => this.#end({ kind: 'unreachable', detail: 'ended' }));
  }

  /** In order; what strikes one message strikes the whole stream. */
  #carry(direction: Direction, arrive: () => void): void {
    const { queue, faults } = this.#world;
    if (this.#isOver()) return;
    const untilMs = direction === 'up' ? this.#link.requestsCutUntilMs : this.#link.repliesCutUntilMs;
    const isStruck = faults.strikes(direction === 'up' ? 'request-lost' : 'reply-lost');
    if (isStruck && this.#random.next() < 0.5) return this.#end({ kind: 'unreachable', detail: 'broken' });
    if (isStruck || queue.nowMs < untilMs) this.#fallSilent();
    const lateMs = faults.strikes('message-late') ? this.#random.next() * LATEST_MS : 0;
    const arrivalMs = Math.max(this.#lastArrivalMs[direction], queue.nowMs + this.#travelMs() + lateMs);
    this.#lastArrivalMs[direction] = arrivalMs;
    queue.after(arrivalMs - queue.nowMs, () => {
      if (!this.#isOver() && !this.#isSilent) arrive();
    });
  }

  /** The pings of the transport tell the coordinator; a proxy in between may answer the worker's, and only the silence tells it. */
  #fallSilent(): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const isAnswered = this.#random.next() < 0.5;
    this.#world.queue.after(STREAM_KEEPALIVE_MS, () => {
      if (isAnswered) this.#hangUp();
      else this.#end({ kind: 'unreachable', detail: 'no answer to a ping' });
    });
  }

  #end(why: Unanswered): void {
    if (this.#isOver()) return;
    this.#cut();
    this.#world.queue.after(this.#travelMs(), () =>
      this.#caller.whenOn(() => {
        if (!this.#isClosed) this.#listener.onEnd(why);
      }),
    );
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    for (const forget of this.#ofDeaths) forget();
    this.#hangUp();
  }

  #hangUp(): void {
    const there = this.#there;
    if (there !== null) this.#world.queue.after(this.#travelMs(), () => there.process.whenOn(() => this.#receiver?.gone()));
  }

  #isOver(): boolean {
    return this.#isClosed || this.#isCut;
  }

  /** A process that is killed leaves a reset behind; a machine that is gone leaves nothing, and the pings find out. */
  #afterPing(run: () => void): void {
    this.#world.queue.after(this.#random.next() < 0.7 ? this.#travelMs() : STREAM_KEEPALIVE_MS, run);
  }

  #travelMs(): number {
    return between(this.#random, 0.1, 1) * this.#world.plan.travelMs;
  }
}
