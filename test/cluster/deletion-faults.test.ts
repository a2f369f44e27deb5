import test from 'ava';
import type { KubeObject } from '../../operator/kube/object.ts';
import { childrenOf, namesOf, untilGone } from '../support/cluster/children.ts';
import { deletionStage, untilNoWorkers, working } from '../support/cluster/going-run.ts';
import { installOperator, uninstallOperator } from '../support/cluster/operator.ts';

test.serial('a run whose coordinator is on a node that is gone is deleted: what is on that node goes when it is back', async (t) => {
  const { cluster, namespace } = await deletionStage(t);
  const run = await working(cluster, namespace, { name: 'nodeless', parallelism: 3 });
  const node = (await run.pods('coordinator'))[0]?.spec?.nodeName ?? '';
  await cluster.killNode(t, node);
  await run.delete();
  const there = new Set((await run.pods('worker')).filter(({ spec }) => spec?.nodeName === node).map(({ metadata }) => metadata.name));
  const isThere = ({ kind, metadata: { name } }: KubeObject): boolean =>
    there.has(name) || (kind === 'Pod' && name.startsWith('nodeless-coordinator-')) || kind === 'PersistentVolumeClaim';
  t.log(`all else is gone after ${await untilGone(cluster, run, isThere)} ms`);
  t.true(namesOf(await childrenOf(cluster, run)).includes('PersistentVolumeClaim nodeless-state'));
  await cluster.startNode(node);
  t.log(`the rest after ${await untilGone(cluster, run)} ms`);
});

test.serial('helm uninstall: the run goes on, one that is deleted goes, and the next operator takes up what is there', async (t) => {
  const { cluster, namespace } = await deletionStage(t);
  const [run, other] = await Promise.all([
    working(cluster, namespace, { name: 'stays', items: 240, parallelism: 1, latency: '1s' }),
    working(cluster, namespace, { name: 'goes' }),
  ]);
  const pods = async (): Promise<readonly string[]> =>
    [...(await run.pods('worker')), ...(await run.pods('coordinator'))].map(({ metadata }) => metadata.uid ?? '').toSorted();
  const before = await pods();
  await uninstallOperator(cluster);
  await other.delete();
  const [workersMs, allMs] = await Promise.all([untilNoWorkers(other), untilGone(cluster, other)]);
  t.log(`without an operator its workers are gone after ${workersMs} ms, everything after ${allMs} ms`);
  t.deepEqual(await pods(), before);
  const { status } = await run.get();
  await installOperator(t, cluster);
  await run.until('its status goes on', (now) => (now.status?.items?.done ?? 0) > (status?.items?.done ?? 0));
  t.deepEqual(await pods(), before);
  await run.patch({ spec: { workers: { parallelism: 4 } } });
  await run.assertComplete(t);
});
