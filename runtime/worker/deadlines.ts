import type { Clock, Timer } from '../base/clock.ts';

/**
 * Things that may last for a time that is the same for all of them. Their deadlines come in the order in which they were added, so that
 * one timer, set for the oldest, serves all: most things end before theirs, and cost no timer.
 */
export class Deadlines<T> {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  readonly #onDue: (thing: T) => void;
  /** In order of their deadlines. */
  readonly #dueMs = new Map<T, number>();
  #timer: Timer | null = null;

  constructor(clock: Clock, lastsMs: number, onDue: (thing: T) => void) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
    this.#onDue = onDue;
  }

  /** A thing that is there already keeps its deadline. */
  add(thing: T): void {
    if (this.#dueMs.has(thing)) return;
    this.#dueMs.set(thing, this.#clock.monotonicMs() + this.#lastsMs);
    this.#timer ??= this.#clock.after(this.#lastsMs, () => this.#onTimer());
  }

  /** How much of its time is left; null where it is not there. */
  leftMs(thing: T): number | null {
    const dueMs = this.#dueMs.get(thing);
    return dueMs === undefined ? null : Math.max(0, dueMs - this.#clock.monotonicMs());
  }

  /** The timer stays: where things come and go quickly, there are many moments without any. */
  delete(thing: T): void {
    this.#dueMs.delete(thing);
  }

  /** Where nothing is there, and nothing is to come soon: a timer would keep the process from ending. */
  rest(): void {
    if (this.#dueMs.size > 0) return;
    this.#timer?.stop();
    this.#timer = null;
  }

  #onTimer(): void {
    this.#timer = null;
    const nowMs = this.#clock.monotonicMs();
    const due: T[] = [];
    for (const [thing, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) {
        // A timer may be early by less than a millisecond.
        this.#timer = this.#clock.after(Math.max(1, dueMs - nowMs), () => this.#onTimer());
        break;
      }
      due.push(thing);
    }
    for (const thing of due) this.#dueMs.delete(thing);
    for (const thing of due) this.#onDue(thing);
  }
}
