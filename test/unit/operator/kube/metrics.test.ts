import test from 'ava';
import { createMetrics } from '../../../../operator/kube/metrics.ts';
import { DEFAULT_RATE_LIMITS } from '../../../../operator/kube/rate-limit.ts';
import { WorkQueue } from '../../../../operator/kube/workqueue.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('a queue is reported under the names that dashboards know', async (t) => {
  const metrics = createMetrics('things');
  const clock = new ManualClock();
  const queue = new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer: metrics.queue('q') });
  metrics.showQueue('q', queue);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await clock.advance(2_000);
  await queue.take();
  await queue.take();
  await clock.advance(3_000);
  queue.done('a');
  queue.addRateLimited('a');
  const { body, contentType } = await metrics.page();
  t.regex(contentType, /^text\/plain/);
  for (const line of [
    'workqueue_depth{name="q"} 1',
    'workqueue_adds_total{name="q"} 3',
    'workqueue_retries_total{name="q"} 1',
    'workqueue_unfinished_work_seconds{name="q"} 3',
    'workqueue_longest_running_processor_seconds{name="q"} 3',
    'workqueue_queue_duration_seconds_sum{name="q"} 4',
    'workqueue_work_duration_seconds_sum{name="q"} 3',
  ]) {
    t.true(body.includes(`${line}\n`), `${line}\n${body}`);
  }
});

test('reconciles, watches, the lead and calls are reported', async (t) => {
  const metrics = createMetrics('things');
  const controller = metrics.controller('c', 4);
  for (const kind of ['done', 'again', 'retry', 'giveUp'] as const) {
    controller.onStart();
    controller.onEnd(kind, 500);
  }
  controller.onStart();
  controller.onPanic();
  controller.onTimeout();
  const reflector = metrics.reflector('Pod');
  reflector.onList();
  reflector.onRestart('expired');
  reflector.onSkipped();
  const elector = metrics.elector('lease');
  elector.onLeading(true);
  elector.onSlowPath();
  metrics.answered('10.0.0.1:443')('GET', '200');
  const { body } = await metrics.page();
  for (const line of [
    'controller_runtime_reconcile_total{controller="c",result="success"} 1',
    'controller_runtime_reconcile_total{controller="c",result="requeue_after"} 1',
    'controller_runtime_reconcile_total{controller="c",result="error"} 2',
    'controller_runtime_reconcile_errors_total{controller="c"} 2',
    'controller_runtime_terminal_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_reconcile_panics_total{controller="c"} 1',
    'controller_runtime_reconcile_timeouts_total{controller="c"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="c"} 4',
    'controller_runtime_active_workers{controller="c"} 1',
    'controller_runtime_max_concurrent_reconciles{controller="c"} 4',
    'things_relists_total{kind="Pod"} 1',
    'things_watch_restarts_total{kind="Pod",reason="expired"} 1',
    'things_watch_events_skipped_total{kind="Pod"} 1',
    'leader_election_master_status{name="lease"} 1',
    'leader_election_slowpath_total{name="lease"} 1',
    'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:443"} 1',
  ]) {
    t.true(body.includes(`${line}\n`), `${line}\n${body}`);
  }
});

test('who does not lead is reported as such from the start', async (t) => {
  const metrics = createMetrics('things');
  metrics.elector('lease');
  t.true((await metrics.page()).body.includes('leader_election_master_status{name="lease"} 0\n'));
});
