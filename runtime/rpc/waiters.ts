/** The calls that wait for something to say. Each has a signal that aborts when nobody waits any more, or when the server stops. */
export class Waiters {
  readonly #open = new Set<AbortController>();
  #isStopped = false;

  /** Runs `wait` with the signal; `onGone` is where the caller's leaving is heard. */
  async during<T>(onGone: (gone: () => void) => void, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    onGone(() => controller.abort());
    if (this.#isStopped) controller.abort();
    this.#open.add(controller);
    try {
      return await wait(controller.signal);
    } finally {
      this.#open.delete(controller);
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const controller of this.#open) controller.abort();
  }
}
