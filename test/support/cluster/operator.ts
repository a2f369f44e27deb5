import type { ExecutionContext } from 'ava';
import type { Deployment } from '../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../operator/kube/object.ts';
import { alone } from './alone.ts';
import { digestOf } from './digest.ts';
import { lastWords } from './last-words.ts';
import type { Cluster } from './start-cluster.ts';

const RELEASE = 'rollout';
export const OPERATOR_NAMESPACE = 'rollout';
/** Its service account, as `namespace:name`. */
export const OPERATOR_ACCOUNT: string = `${OPERATOR_NAMESPACE}:rollout-operator`;
const OF_RELEASE = [RELEASE, '--namespace', OPERATOR_NAMESPACE];
const UNTIL_READY = ['--wait', '--timeout', '3m'];
const DEPLOYMENT = `/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/rollout-operator`;
/** Of a release: what it has been made of. Helm keeps it with each of its revisions. */
const MADE_OF = 'made-of';

/**
 * The operator for one namespace, without rights on anything that is in none. Before the namespace goes at the end of the test it is the
 * one of all namespaces again. Each ends before its rights do: a call that is refused would be taken for a right that the chart lacks.
 */
export async function installNamespaced(t: ExecutionContext, cluster: Cluster, namespace: string): Promise<void> {
  t.teardown(async () => {
    await endOperator(cluster);
    await installChart(cluster, 'charts/rollout');
  });
  await endOperator(cluster);
  await installOperator(t, cluster, `watchNamespaces={${namespace}}`);
}

async function endOperator(cluster: Cluster): Promise<void> {
  if ((await cluster.api.find(DEPLOYMENT)) === null) return;
  const of = ['--namespace', OPERATOR_NAMESPACE];
  await cluster.kubectl('scale', 'deployment/rollout-operator', '--replicas=0', ...of);
  await cluster.kubectl('wait', '--for=delete', 'pod', '--selector=app.kubernetes.io/component=operator', '--timeout=60s', ...of);
}

/** The operator, installed as its users install it. It stays for the other tests of the cluster. `values`: as of `helm --set`. */
export async function installOperator(t: ExecutionContext, cluster: Cluster, ...values: readonly string[]): Promise<void> {
  t.teardown(async () => {
    if (!t.passed) process.stderr.write(`${t.title}: what the operator had in the end\n${await lastWords(cluster, OPERATOR_NAMESPACE)}\n`);
  });
  await installChart(cluster, 'charts/rollout', ...values);
}

/** Nothing is done where the release is of just this chart with these values and this image, and its pods are ready. */
export async function installChart(cluster: Cluster, chart: string, ...values: readonly string[]): Promise<void> {
  // The image has the same name whatever is in it. The rights for cert-manager serve a few tests, and disturb no other.
  const all = [`podAnnotations.image=i${cluster.image}`, 'certManager.enabled=true', ...values];
  const madeOf = digestOf(chart, all);
  // Files of tests that run side by side begin with the same release; Helm refuses to be run twice at a time.
  await alone('operator', async () => {
    if ((await isLast(cluster, madeOf)) && (await isReady(cluster))) return;
    await forgetUnfinished(cluster);
    const sets = all.flatMap((value) => ['--set', value]);
    const labels = ['--labels', `${MADE_OF}=${madeOf}`];
    await cluster.helm('upgrade', '--install', ...OF_RELEASE, chart, '--create-namespace', ...UNTIL_READY, ...labels, ...sets);
  });
}

/** The newest revision of the release has been put in whole, and is made of this. */
async function isLast(cluster: Cluster, madeOf: string): Promise<boolean> {
  const { status, [MADE_OF]: of } = (await lastRevision(cluster))?.metadata.labels ?? {};
  return status === 'deployed' && of === madeOf;
}

/** Helm refuses to go on from a revision in the middle of which it was killed. */
async function forgetUnfinished(cluster: Cluster): Promise<void> {
  const last = await lastRevision(cluster);
  if (last?.metadata.labels?.['status']?.startsWith('pending-') !== true) return;
  await cluster.api.call('DELETE', `/api/v1/namespaces/${OPERATOR_NAMESPACE}/secrets/${last.metadata.name}`);
}

/** Helm keeps each in a Secret; undefined before the first. */
async function lastRevision({ api }: Cluster): Promise<KubeObject | undefined> {
  const selector = encodeURIComponent(`owner=helm,name=${RELEASE}`);
  const all = await api.list<KubeObject>(`/api/v1/namespaces/${OPERATOR_NAMESPACE}/secrets?labelSelector=${selector}`);
  const versionOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.['version']);
  return all.toSorted((one, other) => versionOf(one) - versionOf(other)).at(-1);
}

/** A test may have killed its pods, or scaled it down. */
async function isReady({ api }: Cluster): Promise<boolean> {
  const { metadata, spec, status } = (await api.find<Deployment>(DEPLOYMENT)) ?? {};
  const counts = [spec?.replicas, status?.replicas, status?.updatedReplicas, status?.readyReplicas];
  return (spec?.replicas ?? 0) > 0 && new Set(counts).size === 1 && status?.observedGeneration === metadata?.generation;
}

/** As its users do; the kind and the runs stay. */
export async function uninstallOperator(cluster: Cluster): Promise<void> {
  await cluster.helm('uninstall', ...OF_RELEASE, ...UNTIL_READY);
}

/** Of the release as it is now. */
export async function revisionOf(cluster: Cluster): Promise<number> {
  return (JSON.parse(await cluster.helm('status', ...OF_RELEASE, '--output', 'json')) as { readonly version: number }).version;
}

export async function rollBack(cluster: Cluster, revision: number): Promise<void> {
  await cluster.helm('rollback', RELEASE, String(revision), '--namespace', OPERATOR_NAMESPACE, ...UNTIL_READY);
}
