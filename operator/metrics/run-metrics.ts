import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { PHASE } from '../api/names.ts';
import type { Observed } from '../rollout/observed.ts';
import type { Plan } from '../rollout/plan.ts';
import type { RunObserver } from '../rollout/run-observer.ts';
import { lookAtRun, RUN_ENDS, type RunChanges, type RunSample } from './run-sample.ts';
import { DRAIN_OUTCOMES, DRAIN_PROVIDERS, type DrainEnd, REPLACEMENTS, WORKER_WORDS } from './worker-sample.ts';

/** From the second in which a worker that does nothing is gone to the longest notice of a provider. */
const DRAIN_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600];

/**
 * What the metrics say of runs. No label has the name of a run or of anything in it, since there would be no end to the series: sums over all
 * runs, of which a run that is deleted is no part any more. docs/metrics.md has the list.
 */
export class RunMetrics implements RunObserver {
  readonly #samples = new Map<string, RunSample>();
  readonly #count: (changes: RunChanges) => void;

  constructor(registry: Registry, version: string) {
    this.#count = countersOf([registry]);
    showVersion([registry], version);
    this.#showRuns([registry]);
    this.#showWorkers([registry]);
  }

  onLook(key: string, seen: Observed, plan: Plan): void {
    const look = lookAtRun(this.#samples.get(key) ?? null, seen, plan);
    if (look === null) return this.onGone(key);
    this.#samples.set(key, look.sample);
    this.#count(look.changes);
  }

  onGone(key: string): void {
    this.#samples.delete(key);
  }

  #showRuns(registers: Registry[]): void {
    this.#gauge(registers, 'rollout_items_running', 'Items that are handed out to workers', ({ items }) => items.running);
    this.#gauge(registers, 'rollout_items_left', 'Items without a record, as far as the lists have been read', ({ items }) => items.left);
    this.#gauge(registers, 'rollout_workers_desired', 'Workers that there should be', (run) => run.desiredWorkers);
    this.#gauge(registers, 'rollout_coordinators_missing', 'Runs that go on and have no coordinator that answers', (run) =>
      run.isCoordinatorMissing ? 1 : 0,
    );
    const samples = this.#samples;
    new Gauge({
      name: 'rollout_runs',
      help: 'Runs by phase',
      labelNames: ['phase'],
      registers,
      collect() {
        for (const phase of Object.values(PHASE))
          this.set(
            { phase },
            sum(samples, (run) => (run.phase === phase ? 1 : 0)),
          );
      },
    });
  }

  #showWorkers(registers: Registry[]): void {
    const samples = this.#samples;
    new Gauge({
      name: 'rollout_workers',
      help: 'Workers by state',
      labelNames: ['state'],
      registers,
      collect() {
        const counts = new Map<string | null, number>();
        for (const { workers } of samples.values())
          for (const { state } of workers.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
        for (const state of WORKER_WORDS) this.set({ state }, counts.get(state) ?? 0);
      },
    });
  }

  #gauge(registers: Registry[], name: string, help: string, read: (run: RunSample) => number): void {
    const samples = this.#samples;
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(sum(samples, read));
      },
    });
  }
}

function countersOf(registers: Registry[]): (changes: RunChanges) => void {
  const items = counter(registers, 'rollout_items_total', 'Items that were recorded', 'result', ['done', 'failed']);
  const redone = new Counter({
    name: 'rollout_items_redone_total',
    help: 'Times that an item whose execution had begun was handed out again',
    registers,
  });
  const ends = counter(registers, 'rollout_runs_ended_total', 'Runs that ended', 'reason', RUN_ENDS);
  const replaced = counter(registers, 'rollout_workers_replaced_total', 'Workers that took the place of others', 'reason', REPLACEMENTS);
  const leases = new Counter({ name: 'rollout_lease_transitions_total', help: 'Times that the lease of a run went on', registers });
  const onDrain = drainCounters(registers);
  return (changes) => {
    items('done', changes.done);
    items('failed', changes.failed);
    redone.inc(changes.redone);
    if (changes.ended !== null) ends(changes.ended, 1);
    for (const reason of changes.replaced) replaced(reason, 1);
    leases.inc(changes.leaseTransitions);
    for (const end of changes.drains) onDrain(end);
  };
}

/** Each word is there from the start: of a series that begins with its first event nobody sees that event. */
function counter(
  registers: Registry[],
  name: string,
  help: string,
  label: string,
  words: readonly string[],
): (word: string, by: number) => void {
  const made = new Counter({ name, help, labelNames: [label], registers });
  for (const word of words) made.inc({ [label]: word }, 0);
  return (word, by) => made.inc({ [label]: word }, by);
}

function drainCounters(registers: Registry[]): (end: DrainEnd) => void {
  const drains = new Counter({
    name: 'rollout_drains_total',
    help: 'Ends of drains',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  for (const provider of DRAIN_PROVIDERS) for (const outcome of DRAIN_OUTCOMES) drains.inc({ provider, outcome }, 0);
  const took = new Histogram({
    name: 'rollout_drain_seconds',
    help: 'How long workers took that left',
    registers,
    buckets: DRAIN_SECONDS,
  });
  return ({ provider, outcome, tookMs }) => {
    drains.inc({ provider, outcome });
    if (outcome === 'left') took.observe(tookMs / 1_000);
  };
}

function showVersion(registers: Registry[], version: string): void {
  new Gauge({ name: 'rollout_operator_info', help: 'Always 1', labelNames: ['version'], registers }).set({ version }, 1);
}

function sum(samples: ReadonlyMap<string, RunSample>, read: (run: RunSample) => number): number {
  let total = 0;
  for (const sample of samples.values()) total += read(sample);
  return total;
}
