import type { Clock, Timer } from '../../runtime/base/clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';

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
      sleep: (ms, signal) => sleep(after, ms, signal),
      every: (ms, run) => every(after, ms, run),
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

type After = (ms: number, run: () => void) => Timer;

function sleep(after: After, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = after(ms, resolve);
    signal?.addEventListener('abort', () => {
      timer.stop();
      resolve();
    });
  });
}

function every(after: After, ms: number, run: () => void): Timer {
  let isStopped = false;
  const again = (): void => {
    if (isStopped) return;
    run();
    timer = after(ms, again);
  };
  let timer = after(ms, again);
  return {
    stop: () => {
      isStopped = true;
      timer.stop();
    },
  };
}
