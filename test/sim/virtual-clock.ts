import type { Clock, Timer } from '../../runtime/base/clock.ts';

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until it is told to go on; what is due runs in the order of its time. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return 1_700_000_000_000 + this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        timer.stop();
        resolve();
      });
    });
  }

  after(ms: number, run: () => void): Timer {
    this.#order += 1;
    const entry = { atMs: this.#nowMs + ms, order: this.#order, run };
    this.#entries.add(entry);
    return { stop: () => void this.#entries.delete(entry) };
  }

  every(ms: number, run: () => void): Timer {
    let isStopped = false;
    let timer: Timer;
    const again = (): void => {
      timer = this.after(ms, () => {
        run();
        if (!isStopped) again();
      });
    };
    again();
    return {
      stop: () => {
        isStopped = true;
        timer.stop();
      },
    };
  }

  /** Runs the next due entry, moving the time to it; false when nothing waits. */
  runNext(): boolean {
    let next: Entry | null = null;
    for (const entry of this.#entries) {
      if (next === null || entry.atMs < next.atMs || (entry.atMs === next.atMs && entry.order < next.order)) next = entry;
    }
    if (next === null) return false;
    this.#entries.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    return true;
  }
}

/** Lets every promise that can go on go on: real timers and I/O play no part in a simulation. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}
