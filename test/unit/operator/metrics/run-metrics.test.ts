import test from 'ava';
import { Registry } from 'prom-client';
import { RunMetrics } from '../../../../operator/metrics/run-metrics.ts';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import type { Observed } from '../../../../operator/rollout/observed.ts';
import { planRun } from '../../../../operator/rollout/plan.ts';
import { answerOf, PODS, runOf, seenOf, workerOf } from '../../../support/operator/run-world.ts';

function stage(): { readonly look: (key: string, seen: Observed) => void; readonly gone: (key: string) => void; page(): Promise<string> } {
  const registry = new Registry();
  const metrics = new RunMetrics(registry, '1.2.3');
  return {
    look: (key, seen) => metrics.onLook(key, seen, planRun(seen, PODS)),
    gone: (key) => metrics.onGone(key),
    page: () => registry.metrics(),
  };
}

const has = (page: string, line: string): boolean => page.includes(`${line}\n`);

test('before the first run every word has its series, so that its first event can be seen', async (t) => {
  const page = await stage().page();
  for (const line of [
    'rollout_operator_info{version="1.2.3"} 1',
    'rollout_runs{phase="Failed"} 0',
    'rollout_runs_ended_total{reason="DeadlineExceeded"} 0',
    'rollout_items_total{result="failed"} 0',
    'rollout_workers{state="not-ready"} 0',
    'rollout_workers_replaced_total{reason="node-gone"} 0',
    'rollout_drains_total{provider="aws",outcome="left"} 0',
    'rollout_drains_total{provider="none",outcome="withdrawn"} 0',
    'rollout_coordinators_missing 0',
    'rollout_lease_transitions_total 0',
  ])
    t.true(has(page, line), `${line}\n${page}`);
});

test('gauges are sums over all runs, and no series has the name of one', async (t) => {
  const { look, page } = stage();
  look('team/answers', seenOf({ answer: answerOf({ redone: 2 }) }));
  look('team/other', seenOf({ run: runOf({}, undefined, { name: 'other' }), answer: null, workers: [workerOf(0)] }));
  const text = await page();
  for (const line of [
    'rollout_runs{phase="Running"} 1',
    'rollout_runs{phase="Pending"} 1',
    'rollout_items_total{result="done"} 4',
    'rollout_items_total{result="failed"} 1',
    'rollout_items_redone_total 2',
    'rollout_items_running 2',
    'rollout_items_left 5',
    'rollout_workers{state="ready"} 2',
    'rollout_workers{state="starting"} 1',
    'rollout_workers_desired 4',
    'rollout_coordinators_missing 1',
  ])
    t.true(has(text, line), `${line}\n${text}`);
  t.notRegex(text, /team|answers-worker/);
});

test('of a run that is gone the gauges know nothing any more, and the counters stay', async (t) => {
  const { look, gone, page } = stage();
  look('team/answers', seenOf());
  gone('team/answers');
  const text = await page();
  for (const line of ['rollout_runs{phase="Running"} 0', 'rollout_workers{state="ready"} 0', 'rollout_items_total{result="done"} 4'])
    t.true(has(text, line), `${line}\n${text}`);
});

test('drains and successors are counted by what they were for', async (t) => {
  const { look, page } = stage();
  const going: Signal = { severity: 'drain', provider: 'aws', deadlineMs: null, reason: 'a taint' };
  const signals = new Map([['node1', going]]);
  const next = workerOf(1, { name: 'answers-worker-1-1', uid: 'w1b', incarnation: 1, node: 'node2' });
  look('team/answers', seenOf());
  look('team/answers', seenOf({ signals }));
  look('team/answers', seenOf({ signals, workers: [workerOf(0), workerOf(1, { phase: 'succeeded' }), next] }));
  look('team/answers', seenOf({ answer: answerOf({ epoch: 5 }), workers: [workerOf(0), next] }));
  const text = await page();
  for (const line of [
    'rollout_drains_total{provider="aws",outcome="left"} 1',
    'rollout_drain_seconds_count 1',
    'rollout_workers_replaced_total{reason="node-going"} 1',
    'rollout_lease_transitions_total 2',
  ])
    t.true(has(text, line), `${line}\n${text}`);
});
