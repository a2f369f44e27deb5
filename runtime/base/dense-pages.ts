/** A place for neighbouring numbers: page 3 of pages of 32 is for 96 to 127. */
export interface DensePage {
  readonly number: number;
  /** How many of its numbers are there. */
  size: number;
}

/** Pages by their number, in the order in which they came. What is asked for next mostly lies where the last one did. */
export class DensePages<P extends DensePage> {
  readonly #pages = new Map<number, P>();
  #last: P | undefined;

  get(number: number): P | undefined {
    if (this.#last?.number === number) return this.#last;
    const page = this.#pages.get(number);
    if (page !== undefined) this.#last = page;
    return page;
  }

  add(page: P): P {
    this.#pages.set(page.number, page);
    this.#last = page;
    return page;
  }

  /** One that is met in an iteration has nothing left. */
  drop(page: P): void {
    this.#pages.delete(page.number);
    if (this.#last === page) this.#last = undefined;
  }

  clear(): void {
    this.#pages.clear();
    this.#last = undefined;
  }

  values(): IterableIterator<P> {
    return this.#pages.values();
  }
}
