import type { Clock, Timer } from '../base/clock.ts';
import type { Beat, BeatReply } from '../model/session.ts';
import { notUnderstood, type Unanswered } from './status.ts';

/** One stream of beats, as the client sees it. Nothing here throws. */
export interface BeatsStream {
  say(beat: Beat): void;
  /** Nothing is heard of it any more. */
  close(): void;
}

export interface BeatsListener {
  onReply(reply: BeatReply): void;
  /** The last word, unless the stream was closed on this side. */
  onEnd(why: Unanswered): void;
}

/** Null where none was asked for. */
type AnsweredBeat = { readonly kind: 'reply'; readonly reply: BeatReply | null } | Unanswered;

interface UnderWay {
  readonly resolve: (answer: AnsweredBeat) => void;
  readonly deadline: Timer;
}

const UNASKED: AnsweredBeat = { kind: 'reply', reply: null };
const CLOSED: Unanswered = { kind: 'unreachable', detail: 'the connection was closed' };

/**
 * Beats over a stream, which is opened by the first of them, and again by the first after it has ended. Those that ask are answered in
 * their order; the first one always asks. One that is not answered in its time ends the stream, and with it all that are under way.
 */
export class BeatsClient {
  readonly #open: (listener: BeatsListener) => BeatsStream;
  readonly #clock: Clock;
  #stream: BeatsStream | null = null;
  readonly #underWay: UnderWay[] = [];

  constructor(open: (listener: BeatsListener) => BeatsStream, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  beat(beat: Beat, deadlineMs: number): Promise<AnsweredBeat> {
    if (!beat.isAsking && this.#stream !== null) {
      this.#stream.say(beat);
      return Promise.resolve(UNASKED);
    }
    return this.#ask({ ...beat, isAsking: true }, deadlineMs);
  }

  close(): void {
    this.#end(CLOSED);
  }

  #ask(beat: Beat, deadlineMs: number): Promise<AnsweredBeat> {
    return new Promise((resolve) => {
      const late: Unanswered = { kind: 'unreachable', detail: `no answer to a beat within ${deadlineMs} ms` };
      this.#underWay.push({ resolve, deadline: this.#clock.after(deadlineMs, () => this.#end(late)) });
      this.#stream ??= this.#open({ onReply: (reply) => this.#onReply(reply), onEnd: (why) => this.#end(why) });
      this.#stream.say(beat);
    });
  }

  #onReply(reply: BeatReply): void {
    const oldest = this.#underWay.shift();
    if (oldest === undefined) return this.#end(notUnderstood({ kind: 'invalid', field: 'reply', problem: 'answers no beat' }));
    oldest.deadline.stop();
    oldest.resolve({ kind: 'reply', reply });
  }

  #end(why: Unanswered): void {
    this.#stream?.close();
    this.#stream = null;
    for (const { resolve, deadline } of this.#underWay.splice(0)) {
      deadline.stop();
      resolve(why);
    }
  }
}
