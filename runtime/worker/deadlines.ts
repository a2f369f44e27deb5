import type { Clock, Timer } from '../base/clock.ts';
import { type Linked, LinkedList } from '../base/linked-list.ts';

/** Something that is due at a time. */
export interface Due<T extends Due<T>> extends Linked<T> {
  dueMs: number;
}

/**
 * Things that may last for a time that is the same for all of them. Their deadlines come in the order in which they were added, so that
 * one timer, set for the oldest, serves all: most things end before theirs, and cost no timer. They are linked, since a Map through which
 * things pass quickly leaves behind a chain of old tables, which keeps all of them in memory until a full collection.
 */
export class Deadlines<T extends Due<T>> {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  readonly #onDue: (thing: T) => void;
  /** In order of their deadlines. */
  readonly #things = new LinkedList<T>();
  #timer: Timer | null = null;

  constructor(clock: Clock, lastsMs: number, onDue: (thing: T) => void) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
    this.#onDue = onDue;
  }

  /** A thing that is there already keeps its deadline. */
  add(thing: T): void {
    if (this.#things.has(thing)) return;
    thing.dueMs = this.#clock.monotonicMs() + this.#lastsMs;
    this.#things.add(thing);
    this.#timer ??= this.#clock.after(this.#lastsMs, () => this.#onTimer());
  }

  /** How much of its time is left; null where it is not there. */
  leftMs(thing: T): number | null {
    return this.#things.has(thing) ? Math.max(0, thing.dueMs - this.#clock.monotonicMs()) : null;
  }

  /** The timer stays: where things come and go quickly, there are many moments without any. */
  delete(thing: T): void {
    this.#things.delete(thing);
  }

  /** Where nothing is there, and nothing is to come soon: a timer would keep the process from ending. */
  rest(): void {
    if (this.#things.size > 0) return;
    this.#timer?.stop();
    this.#timer = null;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#things[Symbol.iterator]();
  }

  #onTimer(): void {
    this.#timer = null;
    const nowMs = this.#clock.monotonicMs();
    const due: T[] = [];
    for (const thing of this.#things) {
      if (thing.dueMs > nowMs) {
        // A timer may be early by less than a millisecond.
        this.#timer = this.#clock.after(Math.max(1, thing.dueMs - nowMs), () => this.#onTimer());
        break;
      }
      this.#things.delete(thing);
      due.push(thing);
    }
    for (const thing of due) this.#onDue(thing);
  }
}
