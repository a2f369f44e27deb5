/** Objects of a store by a value that they have: their namespace, the uid of an owner, the node that a pod is on. */
export class StoreIndex<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #groups = new Map<string, Map<string, T>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): Iterable<T> {
    return this.#groups.get(value)?.values() ?? [];
  }

  /** The object with this key was `before` and is `after`; undefined where there is none. */
  move(key: string, before: T | undefined, after: T | undefined): void {
    const values = after === undefined ? [] : this.#valuesOf(after);
    if (before !== undefined) {
      for (const value of this.#valuesOf(before)) if (!values.includes(value)) this.#take(key, value);
    }
    if (after === undefined) return;
    for (const value of values) this.#group(value).set(key, after);
  }

  #group(value: string): Map<string, T> {
    const known = this.#groups.get(value);
    if (known !== undefined) return known;
    const group = new Map<string, T>();
    this.#groups.set(value, group);
    return group;
  }

  #take(key: string, value: string): void {
    const group = this.#groups.get(value);
    group?.delete(key);
    // Owners come and go: the groups of those that are gone would add up.
    if (group?.size === 0) this.#groups.delete(value);
  }
}
