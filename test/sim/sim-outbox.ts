import type { Random } from '../../runtime/base/random.ts';
import { type ItemRef, refKey } from '../../runtime/model/row.ts';
import type { Outcome } from '../../runtime/model/session.ts';
import type { Outbox } from '../../runtime/worker/outbox.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** A worker's own store: it lasts over the worker's deaths, and holds what its commits have made durable. */
export class SimOutbox {
  highestEpoch = 0;
  readonly outcomes: Map<string, Outcome> = new Map();
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#random = world.stream(`outbox of ${name}`);
  }

  has(ref: ItemRef): boolean {
    return this.outcomes.has(refKey(ref));
  }

  open(process: SimProcess, onForgotten: (refs: readonly ItemRef[]) => void): Outbox {
    const commit = (change: () => void): Promise<void> => this.#commit(process, change);
    const found = [...this.outcomes.values()];
    if (found.length > 0) this.#world.coverage.count('outbox found', found.length);
    return {
      found,
      highestEpoch: this.highestEpoch,
      put: (outcomes) =>
        commit(() => {
          for (const outcome of outcomes) {
            this.outcomes.set(refKey(outcome), outcome);
            this.#world.onOutcome(outcome);
          }
        }),
      forget: (refs) => {
        onForgotten(refs);
        return commit(() => {
          for (const ref of refs) this.outcomes.delete(refKey(ref));
        });
      },
      keepEpoch: (epoch) =>
        commit(() => {
          this.highestEpoch = Math.max(this.highestEpoch, epoch);
        }),
      close: async () => undefined,
    };
  }

  /** Of a process that dies meanwhile the commit may have been made or not. */
  #commit(process: SimProcess, change: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#world.queue.after(this.#random.next() * this.#world.plan.travelMs, () => {
        if (process.isDead && this.#random.next() < 0.5) return;
        change();
        process.whenOn(resolve);
      });
    });
  }
}
