import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Pod } from '../../../operator/kube/kind.ts';
import type { ClusterRun } from './rollout-run.ts';
import { placeOf } from './working-run.ts';

const PAUSE_MS = 100;

/** Looks at the workers of a run all the time, for two of one place that are both to stay. */
export class PlaceWatch {
  readonly #twins = new Set<string>();
  readonly #watching: Promise<void>;
  #looks = 0;
  #isOver = false;

  /** Ends with the test at the latest. */
  constructor(t: ExecutionContext, run: ClusterRun) {
    this.#watching = this.#watch(run);
    t.teardown(async () => this.end());
  }

  /** Which twins were seen, in how many looks. */
  async end(): Promise<{ readonly twins: readonly string[]; readonly looks: number }> {
    this.#isOver = true;
    await this.#watching;
    return { twins: [...this.#twins], looks: this.#looks };
  }

  async #watch(run: ClusterRun): Promise<void> {
    while (!this.#isOver) {
      // The API server may be away.
      for (const twins of twinsIn(await run.pods('worker').catch(() => []))) this.#twins.add(twins);
      this.#looks += 1;
      await sleep(PAUSE_MS);
    }
  }
}

function twinsIn(pods: readonly Pod[]): readonly string[] {
  const living = pods.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !isOver(status?.phase));
  const places = [...new Set(living.map(placeOf))].map((place) => living.filter((pod) => placeOf(pod) === place));
  return places.filter((all) => all.length > 1).map((all) => all.map(({ metadata }) => metadata.name).join(' and '));
}

function isOver(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
