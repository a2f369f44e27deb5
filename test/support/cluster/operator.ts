import type { ExecutionContext } from 'ava';
import { lastWords } from './last-words.ts';
import type { Cluster } from './start-cluster.ts';

const RELEASE = 'rollout';
export const OPERATOR_NAMESPACE = 'rollout';
/** Its service account, as `namespace:name`. */
export const OPERATOR_ACCOUNT: string = `${OPERATOR_NAMESPACE}:rollout-operator`;
const OF_RELEASE = [RELEASE, '--namespace', OPERATOR_NAMESPACE];
const UNTIL_READY = ['--wait', '--timeout', '3m'];

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
