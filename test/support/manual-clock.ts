import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../runtime/base/clock.ts';

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that stands still until told. What is due runs in the order of its time, and of two at the same time the older first. */
export class ManualClock implements Clock {
  #nowMs = 1_000;
  readonly #due = new Set<Due>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((delayMs, run) => this.after(delayMs, run), ms, signal);
  }

  every(ms: number, run: () => void): Timer {
    return everyBy((delayMs, again) => this.after(delayMs, again), ms, run);
  }

  after(ms: number, run: () => void): Timer {
    const due: Due = { atMs: this.#nowMs + ms, run };
    this.#due.add(due);
    return { stop: () => this.#due.delete(due) };
  }

  /** Time passes; whatever is due runs at its moment, and what follows from it at once runs before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    do await setImmediate();
    while (this.runNext(endMs));
    this.#nowMs = endMs;
    await setImmediate();
  }

  /** Moves the time to what is due next, by `untilMs` at the latest, and runs it; false where nothing is. */
  runNext(untilMs: number = Number.POSITIVE_INFINITY): boolean {
    let next: Due | null = null;
    for (const due of this.#due) if (due.atMs <= untilMs && (next === null || due.atMs < next.atMs)) next = due;
    if (next === null) return false;
    this.#due.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    return true;
  }

  /** Time passes while the process is stopped: nothing runs. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Lets every promise that can go on go on, where real timers and I/O play no part. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

type After = (ms: number, run: () => void) => Timer;

/** A clock's `sleep`, made of its `after`; nothing of it stays with the signal. */
export async function sleepBy(after: After, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      timer.stop();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = after(ms, end);
    signal?.addEventListener('abort', end);
  });
}

/** A clock's `every`, made of its `after`. */
export function everyBy(after: After, ms: number, run: () => void): Timer {
  let isStopped = false;
  const again = (): void => {
    if (isStopped) return;
    run();
    if (!isStopped) timer = after(ms, again);
  };
  let timer = after(ms, again);
  return {
    stop: () => {
      isStopped = true;
      timer.stop();
    },
  };
}
