import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ControllerObserver } from './controller.ts';
import type { ElectorObserver } from './elector.ts';
import type { Page } from './endpoint.ts';
import type { Outcome } from './outcome.ts';
import type { ReflectorObserver } from './reflector.ts';
import type { QueueObserver, WorkQueue } from './workqueue.ts';

/**
 * What controllers of any make report, under the names that dashboards and alerts for them know. No label has the name of an object: there
 * would be no end to the series.
 */
export interface CoreMetrics {
  /** For the metrics of what is built on this. */
  readonly registry: Registry;
  page(): Promise<Page>;
  queue(name: string): QueueObserver;
  /** Reports what the queue has now. */
  showQueue(name: string, queue: WorkQueue): void;
  controller(name: string, workers: number): ControllerObserver;
  reflector(kind: string): ReflectorObserver;
  elector(name: string): ElectorObserver;
  /** For the transport to this host. */
  answered(host: string): (method: string, code: string) => void;
}

const RECONCILE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_SECONDS = [0.001, 0.01, 0.1, 1, 10, 100, 1_000];

/** As controller-runtime names the ends of a reconcile. */
const RESULTS: Readonly<Record<Outcome['kind'], string>> = { done: 'success', again: 'requeue_after', retry: 'error', giveUp: 'error' };

/** `prefix` begins the names of the metrics that controllers elsewhere do not have. */
export function createMetrics(prefix: string): CoreMetrics {
  const registry = new Registry();
  const queues = new Map<string, WorkQueue>();
  const queueMetrics = queueObservers(registry, queues);
  return {
    registry,
    page: async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
    queue: queueMetrics,
    showQueue: (name, queue) => {
      queues.set(name, queue);
    },
    controller: controllerObservers(registry),
    reflector: reflectorObservers(registry, prefix),
    elector: electorObservers(registry),
    answered: answerObservers(registry),
  };
}

function queueObservers(registry: Registry, queues: ReadonlyMap<string, WorkQueue>): CoreMetrics['queue'] {
  const registers = [registry];
  const labelNames = ['name'] as const;
  const counter = (name: string, help: string): Counter<'name'> => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string): Histogram<'name'> =>
    new Histogram({ name, help, labelNames, registers, buckets: QUEUE_SECONDS });
  const gauge = (name: string, help: string, valueOf: (queue: WorkQueue) => number): Gauge<'name'> =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [queueName, queue] of queues) this.set({ name: queueName }, valueOf(queue));
      },
    });
  gauge('workqueue_depth', 'Keys that wait', (queue) => queue.depth);
  gauge('workqueue_unfinished_work_seconds', 'How long all keys in work have been in work', (queue) => seconds(sum(queue.workingMs())));
  gauge('workqueue_longest_running_processor_seconds', 'How long the oldest key in work has been in work', (queue) =>
    seconds(Math.max(0, ...queue.workingMs())),
  );
  const adds = counter('workqueue_adds_total', 'Keys that were added');
  const retries = counter('workqueue_retries_total', 'Keys that were added after a failure');
  const waited = histogram('workqueue_queue_duration_seconds', 'How long a key waits');
  const worked = histogram('workqueue_work_duration_seconds', 'How long a key is in work');
  return (name) => ({
    onAdd: () => adds.inc({ name }),
    onRetry: () => retries.inc({ name }),
    onTake: (waitedMs) => waited.observe({ name }, seconds(waitedMs)),
    onDone: (workedMs) => worked.observe({ name }, seconds(workedMs)),
  });
}

function controllerObservers(registry: Registry): CoreMetrics['controller'] {
  const registers = [registry];
  const labelNames = ['controller'] as const;
  const name = (rest: string): string => `controller_runtime_${rest}`;
  const counter = (rest: string, help: string): Counter<'controller'> => new Counter({ name: name(rest), help, labelNames, registers });
  const ends = new Counter({ name: name('reconcile_total'), help: 'Reconciles', labelNames: ['controller', 'result'], registers });
  const errors = counter('reconcile_errors_total', 'Reconciles that failed');
  const terminal = counter('terminal_reconcile_errors_total', 'Reconciles that failed and are not tried again');
  const panics = counter('reconcile_panics_total', 'Reconciles that ended by a bug');
  const timeouts = counter('reconcile_timeouts_total', 'Reconciles that took longer than they may');
  const time = new Histogram({
    name: name('reconcile_time_seconds'),
    help: 'How long it took',
    labelNames,
    registers,
    buckets: RECONCILE_SECONDS,
  });
  const active = new Gauge({ name: name('active_workers'), help: 'Workers that have a key', labelNames, registers });
  const most = new Gauge({ name: name('max_concurrent_reconciles'), help: 'Workers', labelNames, registers });
  return (controller, workers) => {
    most.set({ controller }, workers);
    return {
      onStart: () => active.inc({ controller }),
      onEnd: (kind, tookMs) => {
        active.dec({ controller });
        time.observe({ controller }, seconds(tookMs));
        ends.inc({ controller, result: RESULTS[kind] });
        if (kind === 'retry' || kind === 'giveUp') errors.inc({ controller });
        if (kind === 'giveUp') terminal.inc({ controller });
      },
      onPanic: () => panics.inc({ controller }),
      onTimeout: () => timeouts.inc({ controller }),
    };
  };
}

function reflectorObservers(registry: Registry, prefix: string): CoreMetrics['reflector'] {
  const registers = [registry];
  const lists = new Counter({ name: `${prefix}_relists_total`, help: 'Lists of a kind', labelNames: ['kind'], registers });
  const restarts = new Counter({
    name: `${prefix}_watch_restarts_total`,
    help: 'Watches that ended, or calls that failed, by reason',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const skipped = new Counter({
    name: `${prefix}_watch_events_skipped_total`,
    help: 'Events that say nothing',
    labelNames: ['kind'],
    registers,
  });
  return (kind) => ({
    onList: () => lists.inc({ kind }),
    onRestart: (reason) => restarts.inc({ kind, reason }),
    onSkipped: () => skipped.inc({ kind }),
  });
}

function electorObservers(registry: Registry): CoreMetrics['elector'] {
  const registers = [registry];
  const labelNames = ['name'] as const;
  const status = new Gauge({ name: 'leader_election_master_status', help: '1 while this process leads', labelNames, registers });
  const slow = new Counter({ name: 'leader_election_slowpath_total', help: 'Renewals that had to read first', labelNames, registers });
  return (name) => {
    status.set({ name }, 0);
    return { onLeading: (isLeading) => status.set({ name }, isLeading ? 1 : 0), onSlowPath: () => slow.inc({ name }) };
  };
}

function answerObservers(registry: Registry): CoreMetrics['answered'] {
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Calls of the API server',
    labelNames: ['code', 'method', 'host'],
    registers: [registry],
  });
  return (host) => (method, code) => requests.inc({ code, method, host });
}

function seconds(ms: number): number {
  return ms / 1_000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
