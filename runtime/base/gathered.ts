/**
 * Gathers what comes up in one turn of the event loop, and hands it over at once: the microtask that does so is behind all that are
 * waiting already.
 */
export class Gathered<T> {
  readonly #handOver: (values: readonly T[]) => void;
  #values: T[] = [];

  constructor(handOver: (values: readonly T[]) => void) {
    this.#handOver = handOver;
  }

  add(value: T): void {
    if (this.#values.push(value) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const values = this.#values;
    this.#values = [];
    this.#handOver(values);
  }
}
