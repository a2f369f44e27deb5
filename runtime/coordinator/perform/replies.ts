import type { Epoch } from '../../model/row.ts';
import type { BeatReply, PollReply } from '../../model/session.ts';
import type { SessionWriter, StreamWriter } from '../../rpc/core.ts';
import type { Token } from '../state/commands.ts';

type Reply = BeatReply | PollReply | { readonly epoch: Epoch };

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (cause: Error) => void;
  readonly onRefused: () => void;
}

interface Stream {
  readonly writer: SessionWriter;
  readonly onWritten: (token: Token) => void;
}

interface BeatStream {
  readonly writer: StreamWriter<BeatReply>;
  unwritten: number;
}

/** A worker that beats and does not read the answers for so long would fill the memory with them. */
export const MAX_UNWRITTEN_ANSWERS = 100;

/** The promises behind the calls that wait for the machine's word, and the streams into which it speaks. */
export class Replies {
  readonly #waiting = new Map<Token, Waiting>();
  readonly #streams = new Map<Token, Stream>();
  readonly #beats = new Map<Token, BeatStream>();
  #next: Token = 1;
  #closed: Error | null = null;

  /** Opens a call; `ask` is told its token, and so is `onRefused`. Rejects at once when nobody is answered any more. */
  open<T extends Reply>(ask: (token: Token) => void, onRefused: (token: Token) => void = () => undefined): Promise<T> {
    const token = this.#take();
    return new Promise<Reply>((resolve, reject) => {
      if (this.#closed !== null) return reject(this.#closed);
      this.#waiting.set(token, { resolve, reject, onRefused: () => onRefused(token) });
      ask(token);
    }) as Promise<T>;
  }

  /** `onWritten` follows each reply that has left, never at once. */
  openStream(writer: SessionWriter, onWritten: (token: Token) => void): Token {
    const token = this.#take();
    if (this.#closed === null) this.#streams.set(token, { writer, onWritten });
    else writer.fail(this.#closed);
    return token;
  }

  /** A stream of beats; each that is told under its token is answered there. */
  openBeats(writer: StreamWriter<BeatReply>): Token {
    const token = this.#take();
    if (this.#closed === null) this.#beats.set(token, { writer, unwritten: 0 });
    else writer.fail(this.#closed);
    return token;
  }

  beat(token: Token, reply: BeatReply): void {
    const stream = this.#beats.get(token);
    if (stream === undefined) return this.#settle(token, reply);
    if (stream.unwritten >= MAX_UNWRITTEN_ANSWERS) {
      this.#beats.delete(token);
      return stream.writer.end();
    }
    stream.unwritten += 1;
    stream.writer.send(reply, () => {
      stream.unwritten -= 1;
    });
  }

  poll(token: Token, reply: PollReply): void {
    const stream = this.#streams.get(token);
    if (stream === undefined) this.#settle(token, reply);
    else stream.writer.send(reply, () => stream.onWritten(token));
  }

  deregister(token: Token, reply: { readonly epoch: Epoch }): void {
    this.#settle(token, reply);
  }

  /** Ends a stream; what was said before still arrives. */
  end(token: Token): void {
    this.#streams.get(token)?.writer.end();
    this.#streams.delete(token);
  }

  /** The caller is gone. */
  drop(token: Token, cause: Error): void {
    this.#waiting.get(token)?.reject(cause);
    this.#waiting.delete(token);
    this.#streams.delete(token);
    this.#beats.delete(token);
  }

  /** Those who wait now are told nothing but that; who asks later may be answered. */
  refuse(cause: Error): void {
    const [waiting, streams] = [[...this.#waiting.values()], [...this.#streams.values(), ...this.#beats.values()]];
    this.#waiting.clear();
    this.#streams.clear();
    this.#beats.clear();
    for (const { reject, onRefused } of waiting) {
      reject(cause);
      onRefused();
    }
    for (const { writer } of streams) writer.fail(cause);
  }

  /** From now on nobody is told anything (L5). */
  close(cause: Error): void {
    this.#closed = cause;
    this.refuse(cause);
  }

  #take(): Token {
    const token = this.#next;
    this.#next += 1;
    return token;
  }

  #settle(token: Token, reply: Reply): void {
    // Gone where the caller hung up, or all replies were closed.
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return;
    this.#waiting.delete(token);
    waiting.resolve(reply);
  }
}
