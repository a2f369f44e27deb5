import type { Loop } from '../../runtime/coordinator/loop.ts';
import type { Poll, PollReply } from '../../runtime/model/session.ts';
import type { SessionEar } from '../../runtime/rpc/core.ts';
import type { SessionListener, SessionStream } from '../../runtime/rpc/session-client.ts';
import type { Unanswered } from '../../runtime/rpc/status.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** The pings of the transport: so long, and the coordinator's side of a silent stream is gone. */
const PING_MS = 2_000;

/** A stream between a worker and a coordinator: in order, at times slow, and now and then it breaks or falls silent. */
export class SimStream implements SessionStream {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #listener: SessionListener;
  #there: { readonly core: Loop; readonly process: SimProcess } | null = null;
  #ear: SessionEar | null = null;
  #up: Promise<void>;
  #down: Promise<void> = Promise.resolve();
  #isClosed = false;
  #isCut = false;
  #isSilent = false;

  constructor(world: World, process: SimProcess, address: string, listener: SessionListener) {
    this.#world = world;
    this.#process = process;
    this.#listener = listener;
    this.#up = this.#connect(address);
  }

  say(poll: Poll, onWritten: () => void): void {
    this.#up = this.#up.then(() => this.#carryUp(poll, onWritten));
  }

  close(): void {
    this.#isClosed = true;
    this.#cut();
  }

  async #connect(address: string): Promise<void> {
    await this.#process.clock.sleep(this.#delayMs());
    if (this.#world.isRefused(address)) return this.#end({ kind: 'unreachable', detail: 'refused' });
    this.#there = await this.#world.coreAt(address);
    if (this.#there === null) this.#end({ kind: 'not-leader', primaryAddress: '' });
  }

  async #carryUp(poll: Poll, onWritten: () => void): Promise<void> {
    const there = this.#there;
    if (there === null || this.#isOver()) return;
    await this.#process.clock.sleep(this.#delayMs());
    this.#strike();
    await there.process.on();
    if (this.#isOver()) return;
    if (!this.#isSilent) {
      this.#ear ??= there.core.session(poll.workerId, {
        say: (reply, onLeft) => {
          this.#down = this.#down.then(() => this.#carryDown(there.process, reply, onLeft));
        },
        end: () => this.#endFrom(there.process),
        fail: () => this.#endFrom(there.process),
      });
      this.#ear.hear(poll);
    }
    await this.#process.on();
    if (!this.#isOver()) onWritten();
  }

  async #carryDown(from: SimProcess, reply: PollReply, onWritten: () => void): Promise<void> {
    if (this.#isOver()) return;
    await from.clock.sleep(this.#delayMs());
    this.#strike();
    if (this.#isOver()) return;
    onWritten();
    await this.#process.on();
    if (!this.#isOver() && !this.#isSilent) this.#listener.onReply(reply);
  }

  /** What was said before still arrives. */
  #endFrom(from: SimProcess): void {
    this.#down = this.#down.then(async () => {
      await from.clock.sleep(this.#delayMs());
      this.#end({ kind: 'unreachable', detail: 'ended' });
    });
  }

  /** As chance wants: nothing passes any more, and only the time tells; or the stream breaks, and both sides know. */
  #strike(): void {
    if (!this.#world.chance(this.#world.options.faults.reply)) return;
    if (this.#world.chance(0.5)) return this.#end({ kind: 'unreachable', detail: 'broken' });
    this.#isSilent = true;
    this.#there?.process.clock.after(PING_MS, () => this.#cut());
  }

  #end(why: Unanswered): void {
    if (this.#isOver()) return;
    this.#cut();
    this.#process.clock.after(this.#delayMs(), () => {
      if (!this.#isClosed) this.#listener.onEnd(why);
    });
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#there?.process.clock.after(this.#delayMs(), () => this.#ear?.gone());
  }

  #isOver(): boolean {
    return this.#isClosed || this.#isCut;
  }

  #delayMs(): number {
    return this.#world.random.next() * 5;
  }
}
