import type { ExecutionContext } from 'ava';
import { lastWords } from './last-words.ts';
import type { Cluster } from './start-cluster.ts';

const RELEASE = 'rollout';
export const OPERATOR_NAMESPACE = 'rollout';
/** Its service account, as `namespace:name`. */
export const OPERATOR_ACCOUNT: string = `${OPERATOR_NAMESPACE}:rollout-operator`;
const OF_RELEASE = [RELEASE, '--namespace', OPERATOR_NAMESPACE];
const UNTIL_READY = ['--wait', '--timeout', '3m'];

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
  if ((await cluster.api.find(`/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/rollout-operator`)) === null) return;
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

export async function installChart(cluster: Cluster, chart: string, ...values: readonly string[]): Promise<void> {
  // The image has the same name whatever is in it.
  const sets = [`podAnnotations.image=i${cluster.image}`, ...values].flatMap((value) => ['--set', value]);
  await cluster.helm('upgrade', '--install', ...OF_RELEASE, chart, '--create-namespace', ...UNTIL_READY, ...sets);
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
