import { readFileSync } from 'node:fs';
import test from 'ava';
import type { RolloutRun } from '../../operator/api/run.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { ClusterRun, rolloutRun } from '../support/cluster/rollout-run.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

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
  await untilSeen(
    'no pod is left',
    PATIENCE_MS,
    async () => [...(await run.pods('worker')), ...(await run.pods('coordinator'))],
    (all) => all.length === 0,
  );
  const before = (await run.get()).status?.items;
  await run.patch({ spec: { suspend: false, workers: { parallelism: 4 } } });
  await run.untilReady(4);
  t.true(((await run.get()).status?.items?.done ?? 0) >= (before?.done ?? 0), 'what was recorded is kept');
  await run.assertComplete(t);
  await untilSeen(
    'no pod is left',
    PATIENCE_MS,
    async () => [...(await run.pods('worker')), ...(await run.pods('coordinator'))],
    (all) => all.length === 0,
  );
});
