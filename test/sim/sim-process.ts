import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { everyBy, type ManualClock, sleepBy } from '../support/manual-clock.ts';

/** A process of the simulation: killed, it does nothing any more; stopped, it goes on later, and finds the time passed. */
export class SimProcess {
  readonly clock: Clock;
  isDead = false;
  #isStopped = false;
  #late: (() => void)[] = [];

  constructor(world: ManualClock) {
    const after = (ms: number, run: () => void): Timer => world.after(ms, () => this.#whenOn(run));
    this.clock = {
      monotonicMs: () => world.monotonicMs(),
      wallMs: () => world.wallMs(),
      after,
      sleep: (ms, signal) => sleepBy(after, ms, signal),
      every: (ms, run) => everyBy(after, ms, run),
    };
  }

  /** Whatever comes to the process from outside waits here while it is stopped, and for ever once it is dead. */
  on(): Promise<void> {
    return new Promise((resolve) => this.#whenOn(resolve));
  }

  kill(): void {
    this.isDead = true;
    this.#late = [];
  }

  stop(): void {
    this.#isStopped = true;
  }

  continue(): void {
    this.#isStopped = false;
    for (const run of this.#late.splice(0)) this.#whenOn(run);
  }

  #whenOn(run: () => void): void {
    if (this.isDead) return;
    if (this.#isStopped) this.#late.push(run);
    else run();
  }
}
