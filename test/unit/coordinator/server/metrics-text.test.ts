import test from 'ava';
import { type HealthView, healthAnswer } from '../../../../runtime/coordinator/server/health-answer.ts';
import { COORDINATOR_METRICS, metricsText } from '../../../../runtime/coordinator/server/metrics-text.ts';
import type { RunStatus, WorkerStatus } from '../../../../runtime/model/status.ts';

const worker = (workerId: string, state: WorkerStatus['state']): WorkerStatus => ({
  workerId,
  state,
  running: 1,
  concurrency: 4,
  sinceBeatMs: 10,
  detail: '',
});
const STATUS: RunStatus = {
  runId: 'r',
  state: { kind: 'running' },
  epoch: 3,
  items: 20,
  isIndexed: false,
  done: 4,
  failed: 1,
  running: 6,
  prefetched: 2,
  handedBack: 3,
  redone: 7,
  workers: [worker('a', 'ready'), worker('b', 'ready'), worker('c', 'init'), worker('d', 'suspected')],
  waits: [],
  results: null,
  stall: null,
};
const SERVING: HealthView = {
  version: '1.2.3',
  coordinatorStatus: { kind: 'taking-over' },
  storeTrouble: null,
  leaseEpoch: 3,
  status: STATUS,
  writes: { appends: 2, outcomes: 5, bytes: 700, commits: 4 },
  certificate: { expiresInSeconds: 86_400, refused: null },
};
const PASSIVE: HealthView = {
  ...SERVING,
  coordinatorStatus: { kind: 'passive' },
  storeTrouble: 'no answer',
  leaseEpoch: null,
  status: null,
  writes: null,
  certificate: null,
};

/** The samples alone. */
function samples(view: HealthView): readonly string[] {
  return metricsText(view)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

test('the primary tells of itself and of its run', (t) => {
  t.deepEqual(samples(SERVING), [
    'rollout_coordinator_info{version="1.2.3"} 1',
    'rollout_coordinator_primary 1',
    'rollout_coordinator_lease_epoch 3',
    'rollout_coordinator_store_unusable 0',
    'rollout_coordinator_certificate_expires_in_seconds 86400',
    'rollout_coordinator_items_total{result="done"} 4',
    'rollout_coordinator_items_total{result="failed"} 1',
    'rollout_coordinator_items_redone_total 7',
    'rollout_coordinator_items_in_flight{state="executing"} 4',
    'rollout_coordinator_items_in_flight{state="prefetched"} 2',
    'rollout_coordinator_items_in_flight{state="handed-back"} 3',
    'rollout_coordinator_items_left 15',
    'rollout_coordinator_workers{state="starting"} 1',
    'rollout_coordinator_workers{state="ready"} 2',
    'rollout_coordinator_workers{state="not-ready"} 0',
    'rollout_coordinator_workers{state="draining"} 0',
    'rollout_coordinator_workers{state="suspected"} 1',
    'rollout_coordinator_stalled 0',
    'rollout_coordinator_log_appends_total 2',
    'rollout_coordinator_log_outcomes_total 5',
    'rollout_coordinator_log_bytes_total 700',
    'rollout_coordinator_ledger_commits_total 4',
  ]);
  t.true(samples({ ...SERVING, status: { ...STATUS, stall: { sinceMs: 1, why: 'no worker' } } }).includes('rollout_coordinator_stalled 1'));
});

test('one that stands by tells nothing that it does not know', (t) => {
  t.deepEqual(samples(PASSIVE), [
    'rollout_coordinator_info{version="1.2.3"} 1',
    'rollout_coordinator_primary 0',
    'rollout_coordinator_store_unusable 1',
  ]);
});

test('each metric is declared before its samples, once', (t) => {
  const lines = metricsText(SERVING).split('\n');
  for (const { name, type, help } of COORDINATOR_METRICS) {
    const at = lines.indexOf(`# HELP ${name} ${help}`);
    t.true(at >= 0, name);
    t.is(lines[at + 1], `# TYPE ${name} ${type}`);
    t.true(lines[at + 2]?.startsWith(name));
    t.is(lines.filter((line) => line.startsWith(`# TYPE ${name} `)).length, 1, name);
  }
  t.true(metricsText(SERVING).endsWith('\n'));
});

test('a word that would end its quotes does not', (t) => {
  t.true(samples({ ...PASSIVE, version: 'a"b\\c\nd' }).includes('rollout_coordinator_info{version="a\\"b\\\\c\\nd"} 1'));
});

test('counters end in _total, gauges do not, and a label has a name only where there is one', (t) => {
  for (const { name, type, label } of COORDINATOR_METRICS) {
    t.regex(name, /^rollout_coordinator_[a-z_]+$/);
    t.is(name.endsWith('_total'), type === 'counter', name);
    t.not(label, '');
  }
});

test('/metrics is that page, in the type that Prometheus expects', (t) => {
  t.deepEqual(healthAnswer('GET', '/metrics', SERVING), {
    statusCode: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: metricsText(SERVING),
  });
});
