import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../runtime/base/clock.ts';

interface Due {
  atMs: number;
  readonly run: () => void;
  /** Null for one that runs once. */
  readonly everyMs: number | null;
}

/** A clock that stands still until told. */
export class ManualClock implements Clock {
  #nowMs = 1_000;
  readonly #due = new Set<Due>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const timer = this.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        timer.stop();
        resolve();
      });
    });
  }

  every(ms: number, run: () => void): Timer {
    return this.#add({ atMs: this.#nowMs + ms, run, everyMs: ms });
  }

  after(ms: number, run: () => void): Timer {
    return this.#add({ atMs: this.#nowMs + ms, run, everyMs: null });
  }

  /** Time passes; whatever is due runs at its moment, and what follows from it at once runs before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await setImmediate();
      const next = [...this.#due].filter((due) => due.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      if (next.everyMs === null) this.#due.delete(next);
      else next.atMs = this.#nowMs + next.everyMs;
      next.run();
    }
    this.#nowMs = endMs;
    await setImmediate();
  }

  /** Time passes while the process is stopped: nothing runs. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  #add(due: Due): Timer {
    this.#due.add(due);
    return { stop: () => this.#due.delete(due) };
  }
}
