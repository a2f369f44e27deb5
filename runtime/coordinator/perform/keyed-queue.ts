/** Work by key: one after the other under the same key, in the order asked for. Nothing is kept of a key that is idle. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();

  async run(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    this.#last.set(key, turn);
    try {
      await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
