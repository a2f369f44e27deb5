import type { RunStatus, WorkerStatus } from '../../model/status.ts';
import type { HealthView } from './health-answer.ts';

/** One metric of a coordinator. docs/metrics.md lists the same ones. */
export interface CoordinatorMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Of the one label that it has; null for none. */
  readonly label: string | null;
  /** By the value of its label, '' where it has none; empty where nothing is known. */
  readonly read: (view: HealthView) => Readonly<Record<string, number>>;
}

/** What Prometheus calls its text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const STATES: Readonly<Record<WorkerStatus['state'], string>> = {
  init: 'starting',
  ready: 'ready',
  'not-ready': 'not-ready',
  draining: 'draining',
  suspected: 'suspected',
};

export const COORDINATOR_METRICS: readonly CoordinatorMetric[] = [
  labelled('gauge', 'info', 'Always 1', 'version', ({ version }) => ({ [version]: 1 })),
  plain('gauge', 'primary', '1 while it serves the run, 0 while it stands by', ({ status }) => (status === null ? 0 : 1)),
  plain('gauge', 'lease_epoch', 'Epoch of the lease that was seen last', ({ leaseEpoch }) => leaseEpoch),
  plain('gauge', 'store_unusable', '1 while the store cannot be used', ({ storeTrouble }) => (storeTrouble === null ? 0 : 1)),
  plain(
    'gauge',
    'certificate_expires_in_seconds',
    'Life that is left of the certificate in use',
    ({ certificate }) => certificate?.expiresInSeconds ?? null,
  ),
  ofRun('counter', 'items_total', 'Items of the run that have a record', 'result', ({ done, failed }) => ({ done, failed })),
  ofRun('counter', 'items_redone_total', 'Times that an item whose execution had begun was handed out again', null, ({ redone }) => ({
    '': redone,
  })),
  ofRun(
    'gauge',
    'items_in_flight',
    'Items that have been handed out and have no record',
    'state',
    ({ running, prefetched, handedBack }) => ({
      executing: Math.max(0, running - prefetched),
      prefetched,
      'handed-back': handedBack,
    }),
  ),
  ofRun('gauge', 'items_left', 'Items without a record, as far as the list has been read', null, ({ items, done, failed }) => ({
    '': Math.max(0, items - done - failed),
  })),
  ofRun('gauge', 'workers', 'Workers by state', 'state', workersByState),
  ofRun('gauge', 'stalled', '1 while items have not become terminal for unusually long', null, ({ stall }) => ({
    '': stall === null ? 0 : 1,
  })),
  plain('counter', 'log_appends_total', 'Writes of the result log, each synced', ({ writes }) => writes?.appends ?? null),
  plain('counter', 'log_outcomes_total', 'Outcomes in these writes', ({ writes }) => writes?.outcomes ?? null),
  plain('counter', 'log_bytes_total', 'Bytes of these outcomes', ({ writes }) => writes?.bytes ?? null),
  plain('counter', 'ledger_commits_total', 'Transactions of the ledger', ({ writes }) => writes?.commits ?? null),
];

/** The page that Prometheus reads. */
export function metricsText(view: HealthView): string {
  return COORDINATOR_METRICS.map((metric) => linesOf(metric, metric.read(view))).join('');
}

function linesOf({ name, type, help, label }: CoordinatorMetric, values: Readonly<Record<string, number>>): string {
  const lines = Object.entries(values).map(([word, value]) => `${name}${label === null ? '' : `{${label}="${escaped(word)}"}`} ${value}\n`);
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelled(
  type: CoordinatorMetric['type'],
  name: string,
  help: string,
  label: string | null,
  read: CoordinatorMetric['read'],
): CoordinatorMetric {
  return { name: `rollout_coordinator_${name}`, type, help, label, read };
}

/** `read`: null where nothing is known. */
function plain(type: CoordinatorMetric['type'], name: string, help: string, read: (view: HealthView) => number | null): CoordinatorMetric {
  return labelled(type, name, help, null, (view) => {
    const value = read(view);
    return value === null ? {} : { '': value };
  });
}

/** Only the primary knows the run. */
function ofRun(
  type: CoordinatorMetric['type'],
  name: string,
  help: string,
  label: string | null,
  read: (status: RunStatus) => Readonly<Record<string, number>>,
): CoordinatorMetric {
  return labelled(type, name, help, label, ({ status }) => (status === null ? {} : read(status)));
}

function workersByState({ workers }: RunStatus): Readonly<Record<string, number>> {
  const counts = Object.fromEntries(Object.values(STATES).map((state) => [state, 0]));
  for (const { state } of workers) counts[STATES[state]] = (counts[STATES[state]] ?? 0) + 1;
  return counts;
}

function escaped(word: string): string {
  return word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
