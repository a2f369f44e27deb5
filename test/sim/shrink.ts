import type { FaultKind } from './fault-kinds.ts';
import type { SeedResult } from './run-seed.ts';
import type { WorldPlan } from './swarm.ts';

type Run = (plan: WorldPlan) => Promise<SeedResult>;

/** A world takes a few hundredths of a second; nobody wants to wait longer than a minute. */
const MOST_RUNS = 600;

/**
 * Takes away from a world that fails whatever it fails without: kinds of faults, then faults behind the last one needed, then single
 * ones by halves, items, workers, coordinators. What it fails with may change on the way; that it fails is enough.
 */
export class Shrinking {
  best: SeedResult;
  runs = 0;
  readonly #run: Run;

  constructor(failed: SeedResult, run: Run) {
    this.best = failed;
    this.#run = run;
  }

  async shrink(): Promise<SeedResult> {
    for (let before = -1; before !== this.#size() && this.runs < MOST_RUNS; ) {
      before = this.#size();
      await this.#dropKinds();
      await this.#dropLastFaults();
      await this.#dropFaults();
      await this.#fewer('items');
      await this.#fewer('workers');
      await this.#fewer('coordinators');
    }
    return this.best;
  }

  async #dropKinds(): Promise<void> {
    for (const kind of Object.keys(this.best.plan.rates) as FaultKind[]) {
      const { [kind]: _, ...rates } = this.best.plan.rates;
      await this.#try({ rates });
    }
  }

  /** The smallest number of faults after which it fails, by halves. */
  async #dropLastFaults(): Promise<void> {
    let [low, high] = [0, this.best.faults];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await this.#try({ lastFault: middle })) high = middle;
      else low = middle + 1;
    }
  }

  /** Leaves out stretches of the faults, then shorter ones. */
  async #dropFaults(): Promise<void> {
    const count = Math.min(this.best.plan.lastFault, this.best.faults);
    for (let length = Math.ceil(count / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2)) {
      for (let from = 1; from <= count; from += length) {
        const stretch = Array.from({ length }, (_, at) => from + at).filter((number) => number <= count);
        const { skippedFaults } = this.best.plan;
        if (stretch.some((number) => !skippedFaults.has(number)))
          await this.#try({ skippedFaults: new Set([...skippedFaults, ...stretch]) });
      }
    }
  }

  async #fewer(what: 'items' | 'workers' | 'coordinators'): Promise<void> {
    while (this.best.plan[what] > 1) {
      const now = this.best.plan[what];
      const isHalved = await this.#try({ [what]: Math.ceil(now / 2) });
      if (!isHalved && !(await this.#try({ [what]: now - 1 }))) return;
    }
  }

  async #try(less: Partial<WorldPlan>): Promise<boolean> {
    if (this.runs >= MOST_RUNS) return false;
    this.runs += 1;
    const result = await this.#run({ ...this.best.plan, ...less });
    if (result.failure === null) return false;
    this.best = result;
    return true;
  }

  #size(): number {
    const { rates, items, workers, coordinators, lastFault, skippedFaults } = this.best.plan;
    return Object.keys(rates).length + items + workers + coordinators + Math.min(lastFault, 1e6) - skippedFaults.size;
  }
}
