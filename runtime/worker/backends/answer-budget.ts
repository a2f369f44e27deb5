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

interface Waiting {
  readonly holder: Holder;
  readonly bytes: number;
  readonly resolve: () => void;
}

interface Holder {
  bytes: number;
}

/** An outcome is copied when it is stored, and when it is sent. */
const COPIES = 2;

export function createAnswerBudget(totalBytes: number): AnswerBudget {
  let used = 0;
  let kept = 0;
  let beyond: Holder | null = null;
  let waiting: readonly Waiting[] = [];

  function grant(holder: Holder, bytes: number): boolean {
    if (used + kept + bytes > totalBytes && beyond !== holder) {
      if (beyond !== null || kept >= totalBytes) return false;
      beyond = holder;
    }
    used += bytes;
    holder.bytes += bytes;
    return true;
  }

  function serve(): void {
    const [first, ...rest] = waiting;
    if (first === undefined || !grant(first.holder, first.bytes)) return;
    waiting = rest;
    first.resolve();
    serve();
  }

  return {
    keep: (bytes) => {
      const before = kept;
      kept = bytes * COPIES;
      if (kept < before) serve();
    },
    open: () => {
      const holder: Holder = { bytes: 0 };
      return {
        take: (bytes, signal) =>
          new Promise<void>((resolve) => {
            // The one that may go beyond does not queue behind those who wait for it.
            if (signal.aborted || ((waiting.length === 0 || beyond === holder) && grant(holder, bytes))) return resolve();
            const entry = { holder, bytes, resolve };
            waiting = [...waiting, entry];
            signal.addEventListener(
              'abort',
              () => {
                waiting = waiting.filter((one) => one !== entry);
                resolve();
              },
              { once: true },
            );
          }),
        close: () => {
          used -= holder.bytes;
          holder.bytes = 0;
          if (beyond === holder) beyond = null;
          serve();
        },
      };
    },
  };
}
