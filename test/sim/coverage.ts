/** How often each fault struck and each interesting thing happened, over one world or many. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  count(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  add(other: Coverage): void {
    for (const [what, times] of other.#counts) this.count(what, times);
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}
