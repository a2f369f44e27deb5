import type { Timer } from '../../runtime/base/clock.ts';

interface Due {
  readonly atMs: number;
  /** Of two at the same time the older runs first, so that a seed always gives the same world. */
  readonly order: number;
  run: (() => void) | null;
}

/** The time of the world, which no process of it sees; it moves from one event to the next. */
export class EventQueue {
  #nowMs = 0;
  #order = 0;
  readonly #heap: Due[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): Timer {
    const due: Due = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order, run };
    this.#order += 1;
    this.#push(due);
    return {
      stop: () => {
        due.run = null;
      },
    };
  }

  /** Runs what is due next; false where nothing is. */
  runNext(): boolean {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      if (next.run === null) continue;
      this.#nowMs = next.atMs;
      next.run();
      return true;
    }
    return false;
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Due;
      if (!isBefore(due, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child += 1;
      if (!isBefore(heap[child] as Due, last)) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
