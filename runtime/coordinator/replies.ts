import type { Epoch } from '../model/row.ts';
import type { BeatReply, PollReply } from '../model/session.ts';
import type { Token } from './commands.ts';

type Reply = BeatReply | PollReply | { readonly epoch: Epoch };

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (cause: Error) => void;
}

/** The promises behind the calls that wait for the machine's word. */
export class Replies {
  readonly #waiting = new Map<Token, Waiting>();
  #next: Token = 1;
  #closed: Error | null = null;

  /** Opens a call; `ask` is told its token. Rejects at once when nobody is answered any more. */
  open<T extends Reply>(ask: (token: Token) => void): Promise<T> {
    const token = this.#next;
    this.#next += 1;
    return new Promise<Reply>((resolve, reject) => {
      if (this.#closed !== null) return reject(this.#closed);
      this.#waiting.set(token, { resolve, reject });
      ask(token);
    }) as Promise<T>;
  }

  beat(token: Token, reply: BeatReply): void {
    this.#settle(token, reply);
  }

  poll(token: Token, reply: PollReply): void {
    this.#settle(token, reply);
  }

  deregister(token: Token, reply: { readonly epoch: Epoch }): void {
    this.#settle(token, reply);
  }

  /** The caller is gone. */
  drop(token: Token, cause: Error): void {
    this.#waiting.get(token)?.reject(cause);
    this.#waiting.delete(token);
  }

  /** From now on nobody is told anything (L5). */
  close(cause: Error): void {
    this.#closed = cause;
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
  }

  #settle(token: Token, reply: Reply): void {
    // Gone where the caller hung up, or all replies were closed.
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return;
    this.#waiting.delete(token);
    waiting.resolve(reply);
  }
}
