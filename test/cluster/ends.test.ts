import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { conditionOf } from '../../operator/api/conditions.ts';
import type { ConditionType, Reason } from '../../operator/api/names.ts';
import type { RolloutRun } from '../../operator/api/run.ts';
import { childrenOf, namesOf, untilGone } from '../support/cluster/children.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { DATA, runPod } from '../support/cluster/pod.ts';
import { ClusterRun, lineOf, type RunPlan, rolloutRun } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** How runs end. Those of a test go on side by side, with one worker each unless it is about several. */

type Named = Partial<RunPlan> & { readonly name: string };

const SECOND_MS = 1_000;
const TTL_SECONDS = 8;
const DEADLINE_SECONDS = 10;
/** More than any of these runs ever comes to. */
const ENDLESS = 3_000;

/** Prints the id of each item whose outcome is on the volume of a run. */
const RECORDED = `
const { readdirSync, readFileSync } = require('node:fs');
const folder = '${DATA}/run/segments';
const text = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => readFileSync(entry.parentPath + '/' + entry.name, 'latin1'))
  .join('');
console.log([...text.matchAll(/"custom_id":"(item-[0-9]+)"/g)].map(([, id]) => id).join('\\n'));`;

async function stage(t: ExecutionContext): Promise<{
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly begin: (plan: Named) => Promise<ClusterRun>;
}> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const begin = async (plan: Named): Promise<ClusterRun> =>
    ClusterRun.apply(cluster, namespace, { items: 20, parallelism: 1, latency: '100ms', ...plan });
  return { cluster, namespace, begin };
}

/** Until it has ended so, and has no worker left; what its condition says. */
async function untilFailed(
  t: ExecutionContext,
  run: ClusterRun,
  reason: Reason,
): Promise<{ readonly run: RolloutRun; readonly message: string }> {
  const ended = await run.untilCondition('Failed', 'True', 2 * PATIENCE_MS);
  const failed = conditionOf(ended.status?.conditions ?? [], 'Failed');
  t.is(failed?.reason, reason, failed?.message);
  t.like(ended.status, { phase: 'Failed' });
  await run.untilNoPods();
  return { run: ended, message: failed?.message ?? '' };
}

function said({ status }: RolloutRun, type: ConditionType): string {
  const { status: is, reason, message } = conditionOf(status?.conditions ?? [], type) ?? {};
  return `${is} ${reason}: ${message}`;
}

function idsIn(jsonl: string): readonly string[] {
  const lines = jsonl.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
}

const timeOf = (text: string | undefined): number => Date.parse(text ?? '');

test.serial('time: a finished run stays for its ttl, which may be changed, and the deadline counts no suspension', async (t) => {
  const { cluster, namespace, begin } = await stage(t);
  const brief = async (): Promise<void> => {
    const run = await begin({ name: 'brief', spec: { ttlSecondsAfterFinished: TTL_SECONDS } });
    const { status } = await run.untilCondition('Complete', 'True');
    await untilGone(cluster, run);
    const keptMs = Date.now() - timeOf(status?.completionTime);
    t.log(`gone ${keptMs} ms after its end`);
    t.true(keptMs >= TTL_SECONDS * SECOND_MS, `${keptMs} ms`);
  };
  const kept = async (): Promise<void> => {
    const run = await begin({ name: 'kept', spec: { ttlSecondsAfterFinished: 86_400 } });
    await run.untilCondition('Complete', 'True');
    await run.patch({ spec: { ttlSecondsAfterFinished: 1 } });
    t.log(`gone ${await untilGone(cluster, run)} ms after its ttl was changed`);
  };
  const late = async (): Promise<void> => {
    const run = await begin({ name: 'late', items: ENDLESS });
    await run.untilRecorded(5);
    await run.patch({ spec: { activeDeadlineSeconds: 1 } });
    const ended = await untilFailed(t, run, 'DeadlineExceeded');
    t.regex(ended.message, /activeDeadlineSeconds is over; what is recorded is kept/);
    t.true(namesOf(await childrenOf(cluster, run)).includes('PersistentVolumeClaim late-state'));
    const look = { name: 'look', claim: 'late-state', command: ['node', '-e', RECORDED] };
    const { exit, said: lines } = await runPod(cluster, namespace, look);
    t.is(exit, 0, lines);
    const recorded = new Set(lines.trim().split('\n'));
    t.true(recorded.size >= Math.max(5, ended.run.status?.items?.done ?? 0), lines);
  };
  const paused = async (): Promise<void> => {
    const run = await begin({ name: 'paused', items: ENDLESS, spec: { suspend: true, activeDeadlineSeconds: DEADLINE_SECONDS } });
    const { status } = await run.untilCondition('Suspended', 'True');
    await sleep(timeOf(status?.startTime) + (DEADLINE_SECONDS + 2) * SECOND_MS - Date.now());
    t.is((await run.get()).status?.phase, 'Suspended');
    await run.patch({ spec: { suspend: false } });
    const over = (await untilFailed(t, run, 'DeadlineExceeded')).run.status;
    const wholeMs = timeOf(over?.completionTime) - timeOf(over?.startTime);
    const activeMs = wholeMs - (over?.suspendedSeconds ?? 0) * SECOND_MS;
    t.log(`failed after ${wholeMs} ms, ${activeMs} ms of them active`);
    // Each of the times has whole seconds.
    t.true(activeMs >= (DEADLINE_SECONDS - 2) * SECOND_MS && wholeMs > 2 * DEADLINE_SECONDS * SECOND_MS, `${wholeMs} ms, ${activeMs} ms`);
  };
  await Promise.all([brief(), kept(), late(), paused()]);
});

test.serial('the list: one that is missing is waited for, one that vanishes is not needed, a bad line is told by its number', async (t) => {
  const { cluster, namespace, begin } = await stage(t);
  const lines = [lineOf('first'), 'no JSON', lineOf('third')];
  const early = async (): Promise<void> => {
    const run = await ClusterRun.applyWithoutList(cluster, namespace, { name: 'early', items: 20, parallelism: 1, latency: '100ms' });
    t.regex(said(await run.untilCondition('InputReady', 'False'), 'InputReady'), /InputNotFound: there is no ConfigMap early in .* starts/);
    t.deepEqual(namesOf(await childrenOf(cluster, run)), [], 'nothing is made without it');
    await run.applyList();
    await run.assertComplete(t);
  };
  const robbed = async (): Promise<void> => {
    const run = await begin({ name: 'robbed', items: 160, latency: '500ms' });
    await run.untilRecorded(5);
    await run.deleteList();
    const [coordinator] = await run.pods('coordinator');
    await cluster.api.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${coordinator?.metadata.name}`);
    const text = said(await run.untilCondition('InputReady', 'False'), 'InputReady');
    t.regex(text, /InputNotFound: there is no ConfigMap robbed in .*: the run goes on with its copy/);
    await run.assertComplete(t);
  };
  const strict = async (): Promise<void> => {
    const run = await begin({ name: 'strict', lines, spec: { format: { onInvalid: 'fail' } } });
    t.regex((await untilFailed(t, run, 'CoordinatorFailed')).message, /line 2/);
  };
  const lenient = async (): Promise<void> => {
    const run = await begin({ name: 'lenient', lines, spec: { format: { onInvalid: 'record' } } });
    const ended = await run.untilCondition('Complete', 'True');
    t.like(ended.status, { items: { total: 3, done: 2, failed: 1 } });
    t.regex(said(ended, 'Complete'), /True CompletedWithFailures/);
    const errors = await rolloutRun(cluster, '--namespace', namespace, 'results', 'lenient', '--errors');
    t.regex(errors.out, /"line":2\b/);
  };
  await Promise.all([early(), robbed(), strict(), lenient()]);
});

test.serial('failures: more than maxFailedItems end a run, and without it they are recorded beside the results', async (t) => {
  const { cluster, namespace, begin } = await stage(t);
  const faulty = { items: 60, failureRate: 0.3, spec: { retry: { maxAttempts: 1 } } };
  const [limited, tolerant] = await Promise.all([
    begin({ ...faulty, name: 'limited', spec: { ...faulty.spec, maxFailedItems: 3 } }),
    begin({ ...faulty, name: 'tolerant' }),
  ]);
  t.regex((await untilFailed(t, limited, 'TooManyFailedItems')).message, /\d+ items have failed, and 3 may: .*what is recorded is kept/);
  const refused = await rolloutRun(cluster, '--namespace', namespace, 'results', 'limited');
  t.regex(refused.err, /has failed \(TooManyFailedItems: /);

  const run = await tolerant.untilCondition('Complete', 'True');
  t.regex(said(run, 'Complete'), /True CompletedWithFailures: \d+ items have a result, \d+ have failed/);
  const { done = 0, failed = 0 } = run.status?.items ?? {};
  const results = await rolloutRun(cluster, '--namespace', namespace, 'results', 'tolerant');
  const errors = await rolloutRun(cluster, '--namespace', namespace, 'results', 'tolerant', '--errors');
  t.deepEqual([results.exit, errors.exit], [0, 0], results.err + errors.err);
  const [good, bad] = [idsIn(results.out), idsIn(errors.out)];
  t.deepEqual([good.length, bad.length], [done, failed]);
  t.deepEqual([...good, ...bad].toSorted(), Array.from({ length: 60 }, (_, at) => `item-${at}`).toSorted());
  t.true(failed > 3, `${failed} have failed`);
});
