import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1CustomResourceDefinition } from '@kubernetes/client-node';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../operator/kube/kind.ts';
import { childrenOf, namesOf, untilGone } from '../support/cluster/children.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installChart, installOperator, revisionOf, rollBack } from '../support/cluster/operator.ts';
import { PlaceWatch } from '../support/cluster/place-watch.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { IMAGE } from './image.ts';

/** The version before this one: its image is the same under another name, its kind is kept in upgrade/. */
const FORMER = '0.0.9';
const PRESENT = IMAGE.replace(/^.*:/, '');
const FORMER_IMAGE = IMAGE.replace(PRESENT, FORMER);

function formerChart(t: ExecutionContext): string {
  const chart = join(temporaryDir(t), 'rollout');
  cpSync('charts/rollout', chart, { recursive: true });
  copyFileSync('test/cluster/upgrade/rolloutruns-former.yaml', join(chart, 'files/rolloutruns.yaml'));
  const about = join(chart, 'Chart.yaml');
  writeFileSync(about, readFileSync(about, 'utf8').replace(/^(version|appVersion): .*$/gm, `$1: ${FORMER}`));
  return chart;
}

/** Whether the kind has a field that the former one lacks. */
async function isPresentKind({ api }: Cluster): Promise<boolean> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rolloutruns.rollout.run';
  const { spec } = await api.call<V1CustomResourceDefinition>('GET', path);
  const fields = spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties?.['workers']?.properties ?? {};
  return 'resources' in fields;
}

/** Pods that are to stay, each with how often its containers were started again. */
async function livesOf(run: ClusterRun, component: 'coordinator' | 'worker'): Promise<readonly string[]> {
  const pods = (await run.pods(component)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return pods.map(({ metadata, status }) => {
    const restarts = (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount);
    return `${metadata.name} ${metadata.uid} ${restarts.join()}`;
  });
}

const imagesOf = (pods: readonly Pod[]): readonly (string | undefined)[] =>
  pods.flatMap(({ spec }) => spec?.containers.map(({ image }) => image));

/** The coordinator's pod is of this image, it leads under the epoch, and more is done than before. */
async function untilLedBy(run: ClusterRun, image: string, epoch: number): Promise<void> {
  const before = (await run.get()).status?.items?.done ?? 0;
  await untilSeen(
    `the coordinator of ${run.name} is of ${image}`,
    PATIENCE_MS,
    async () => imagesOf(await run.pods('coordinator')),
    (images) => images.length === 1 && images[0] === image,
  );
  await run.until(
    `more is done under epoch ${epoch}`,
    ({ status }) => status?.coordinator?.epoch === epoch && (status.items?.done ?? 0) > before,
  );
}

test.serial('upgrade, another value, rollback: the kind follows, a run goes on in its workers’ pods, and no place has two', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await cluster.tagImage(FORMER_IMAGE);
  t.teardown(async () => installChart(cluster, 'charts/rollout'));
  await installChart(cluster, formerChart(t));
  const former = await revisionOf(cluster);
  t.false(await isPresentKind(cluster));
  const namespace = await testNamespace(t, cluster);
  const [long, short] = await Promise.all([
    ClusterRun.apply(cluster, namespace, { name: 'long', items: 3_000, parallelism: 2 }),
    ClusterRun.apply(cluster, namespace, { name: 'short', items: 300, parallelism: 1, latency: '1s' }),
  ]);
  await Promise.all([long, short].map(async (run) => run.untilRecorded(1)));
  await long.untilReady(2);
  const workers = await livesOf(long, 'worker');
  t.is(workers.length, 2);
  const places = new PlaceWatch(t, long);

  await installOperator(t, cluster);
  t.true(await isPresentKind(cluster));
  await untilLedBy(long, IMAGE, 1);
  t.deepEqual(await livesOf(long, 'worker'), workers);
  t.not((await short.get()).status?.phase, 'Complete', 'it is left to the new operator');

  const coordinator = await livesOf(long, 'coordinator');
  await installOperator(t, cluster, 'runs.networkPolicy=true');
  await untilSeen(
    'the value reaches the run',
    PATIENCE_MS,
    async () => namesOf(await childrenOf(cluster, long)),
    (names) => names.includes('NetworkPolicy long-coordinator'),
  );
  t.deepEqual([await livesOf(long, 'worker'), await livesOf(long, 'coordinator')], [workers, coordinator]);
  await cluster.kubectl('scale', 'rolloutrun/short', '--replicas=3', '--namespace', namespace);
  await short.assertComplete(t);

  await rollBack(cluster, former);
  t.false(await isPresentKind(cluster));
  await untilLedBy(long, FORMER_IMAGE, 2);
  t.deepEqual(await livesOf(long, 'worker'), workers);
  const { twins, looks } = await places.end();
  t.true(looks > 50, `${looks} looks`);
  t.deepEqual(twins, []);
  await long.delete();
  t.log(`the run is gone after ${await untilGone(cluster, long)} ms`);
});
