/**
 * The bytes of answers that may be held at one time, over all requests of a process: those that are being read, and the outcomes of those
 * that were read, until the coordinator has acknowledged them. An answer is small or it asks for room, part by part, before more of it is
 * read: meanwhile nothing is read from its connection, and the server waits.
 *
 * It never comes to a standstill: where nothing is free, one answer at a time may go beyond the bound, to its own limit. Where outcomes
 * alone fill the bound, reading waits for an acknowledgement.
 */
export interface AnswerBudget {
  open(): Holding;
  /** So many bytes of outcomes are held now. */
  keep(bytes: number): void;
}

export interface Holding {
  /** Resolves once there is room for so many bytes more, or the signal is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives everything back. */
  close(): void;
}

/** An outcome is copied when it is stored, and when it is sent. */
const COPIES = 2;

export function createAnswerBudget(totalBytes: number): AnswerBudget {
  return new Budget(totalBytes);
}

interface Holder {
  bytes: number;
}

interface Waiting {
  readonly holder: Holder;
  readonly bytes: number;
  /** It waits no longer. */
  readonly end: () => void;
}

class Budget implements AnswerBudget {
  readonly #totalBytes: number;
  #readingBytes = 0;
  #outcomeBytes = 0;
  /** The one that may go beyond the bound. */
  #beyond: Holder | null = null;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
  }

  keep(bytes: number): void {
    const before = this.#outcomeBytes;
    this.#outcomeBytes = bytes * COPIES;
    if (this.#outcomeBytes < before) this.#serve();
  }

  open(): Holding {
    const holder: Holder = { bytes: 0 };
    return { take: (bytes, signal) => this.#take(holder, bytes, signal), close: () => this.#close(holder) };
  }

  async #take(holder: Holder, bytes: number, signal: AbortSignal): Promise<void> {
    // The one that may go beyond does not queue behind those who wait for it.
    const isNext = this.#waiting.size === 0 || this.#beyond === holder;
    if (signal.aborted || (isNext && this.#grant(holder, bytes))) return;
    await new Promise<void>((resolve) => this.#queue(holder, bytes, signal, resolve));
  }

  #queue(holder: Holder, bytes: number, signal: AbortSignal, resolve: () => void): void {
    const end = (): void => {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const waiting: Waiting = { holder, bytes, end };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', end);
  }

  #grant(holder: Holder, bytes: number): boolean {
    const isWithin = this.#readingBytes + this.#outcomeBytes + bytes <= this.#totalBytes;
    if (!isWithin && this.#beyond !== holder) {
      if (this.#beyond !== null || this.#outcomeBytes >= this.#totalBytes) return false;
      this.#beyond = holder;
    }
    this.#readingBytes += bytes;
    holder.bytes += bytes;
    return true;
  }

  #serve(): void {
    for (const { holder, bytes, end } of this.#waiting) {
      if (!this.#grant(holder, bytes)) return;
      end();
    }
  }

  #close(holder: Holder): void {
    this.#readingBytes -= holder.bytes;
    holder.bytes = 0;
    if (this.#beyond === holder) this.#beyond = null;
    this.#serve();
  }
}
