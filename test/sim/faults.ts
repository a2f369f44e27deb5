import type { Random } from '../../runtime/base/random.ts';
import type { Coverage } from './coverage.ts';
import type { EventQueue } from './event-queue.ts';
import { FAULT_KINDS, type FaultKind } from './fault-kinds.ts';
import { streamOf, type WorldPlan } from './swarm.ts';
import type { Trace } from './trace.ts';

/** Says when something goes wrong: each kind by its own stream of chance, until the world is to be left in peace. */
export class Faults {
  /** How many have struck. */
  count = 0;
  readonly #plan: WorldPlan;
  readonly #queue: EventQueue;
  readonly #coverage: Coverage;
  readonly #trace: Trace;
  readonly #streams: ReadonlyMap<FaultKind, Random>;

  constructor(plan: WorldPlan, queue: EventQueue, coverage: Coverage, trace: Trace) {
    this.#plan = plan;
    this.#queue = queue;
    this.#coverage = coverage;
    this.#trace = trace;
    const there = FAULT_KINDS.filter((kind) => (plan.rates[kind] ?? 0) > 0);
    this.#streams = new Map(there.map((kind) => [kind, streamOf(plan.seed, kind)]));
  }

  get isQuiet(): boolean {
    return this.#queue.nowMs >= this.#plan.faultsMs;
  }

  strikes(kind: FaultKind): boolean {
    const stream = this.#streams.get(kind);
    if (stream === undefined) return false;
    if (stream.next() >= (this.#plan.rates[kind] ?? 0) || this.isQuiet) return false;
    this.count += 1;
    if (this.count > this.#plan.lastFault || this.#plan.skippedFaults.has(this.count)) return false;
    this.#coverage.count(`fault ${kind}`);
    this.#trace.note('fault', kind);
    return true;
  }
}
