import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RolloutRun } from '../../operator/api/run.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { idsIn, partsOf } from '../support/cluster/recorded-parts.ts';
import { ClusterRun, lineOf, rolloutRun } from '../support/cluster/rollout-run.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** Its run is not over while a command starts on a machine that has much else to do; the run that does the rest is faster. */
const SLOW = '3s';

test.serial('the example: ten items from kubectl apply to a verified file', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster, 'privileged');
  await cluster.applyYaml(namespace, readFileSync('examples/rolloutrun.yaml', 'utf8'));
  const path = `/apis/rollout.run/v1alpha1/namespaces/${namespace}/rolloutruns/example`;
  const run = await untilSeen(
    'the example is complete',
    2 * PATIENCE_MS,
    async () => cluster.api.call<RolloutRun>('GET', path),
    ({ status }) => status?.phase === 'Complete',
  );
  t.like(run.status, { progress: '10/10', items: { total: 10, done: 10, failed: 0 } });
  const { exit, out, err } = await rolloutRun(cluster, '--namespace', namespace, 'results', 'example');
  t.is(exit, 0, err);
  t.regex(err, /each line of the input is in exactly one of the two files/);
  const ids = out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
  t.deepEqual(
    ids,
    Array.from({ length: 10 }, (_, at) => `question-${at + 1}`),
  );
});

test.serial('a run that is over its time: what it has recorded and what is left are its list, and another run does the rest', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const run = await ClusterRun.apply(cluster, namespace, { name: 'late', items: 200, latency: SLOW });
  await run.untilRecorded(20);
  const live = await rolloutRun(cluster, '--namespace', namespace, 'results', 'late', '--partial');
  t.is(live.exit, 2);
  t.regex(live.err, /suspend it first/);
  await run.patch({ spec: { activeDeadlineSeconds: 1 } });
  await run.untilCondition('Failed', 'True');
  const { recorded, left } = await partsOf(t, cluster, run);
  t.true(recorded.length >= 20 && left.length > 0);
  t.deepEqual([...recorded, ...left].toSorted(), Array.from({ length: 200 }, (_, at) => `item-${at}`).toSorted());

  const dir = temporaryDir(t);
  const { spec, ...rest } = await run.get();
  const { activeDeadlineSeconds: _, ...again } = spec;
  writeFileSync(join(dir, 'run.yaml'), JSON.stringify({ ...rest, spec: again }).replaceAll(`"${SLOW}"`, '"100ms"'));
  writeFileSync(join(dir, 'left.jsonl'), left.map((id) => `${lineOf(id)}\n`).join(''));
  const files = ['-f', join(dir, 'left.jsonl'), '--from-run-file', join(dir, 'run.yaml')];
  const created = await rolloutRun(cluster, '--namespace', namespace, 'create', 'late-2', ...files);
  t.is(created.exit, 0, created.err);
  const waited = await rolloutRun(cluster, '--namespace', namespace, 'wait', 'late-2', '--timeout', '120s');
  t.is(waited.exit, 0, waited.err);
  const results = await rolloutRun(cluster, '--namespace', namespace, 'results', 'late-2');
  t.deepEqual(idsIn(results.out), left, results.err);
});

test.serial('suspend, resume, fewer and more workers: nothing is lost, and nothing is left', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const run = await ClusterRun.apply(cluster, namespace, { name: 'elastic', items: 400 });
  await run.untilReady(3);
  await cluster.kubectl('scale', 'rolloutrun/elastic', '--replicas=1', '--namespace', namespace);
  await run.until('one worker is left', ({ status }) => status?.workers?.ready === 1 && status.workers.current === 1);
  await run.patch({ spec: { suspend: true } });
  await run.untilCondition('Suspended', 'True');
  await run.untilNoPods();
  const before = (await run.get()).status?.items;
  await run.patch({ spec: { suspend: false, workers: { parallelism: 4 } } });
  await run.untilReady(4);
  t.true(((await run.get()).status?.items?.done ?? 0) >= (before?.done ?? 0), 'what was recorded is kept');
  await run.assertComplete(t);
  await run.untilNoPods();
});
