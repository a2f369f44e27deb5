import type { ExecutionContext } from 'ava';
import { lastWords } from './last-words.ts';
import type { Cluster } from './start-cluster.ts';

const RELEASE = 'rollout';
export const OPERATOR_NAMESPACE = 'rollout';
/** Its service account, as `namespace:name`. */
export const OPERATOR_ACCOUNT: string = `${OPERATOR_NAMESPACE}:rollout-operator`;

/** The operator, installed as its users install it. It stays for the other tests of the cluster. `values`: as of `helm --set`. */
export async function installOperator(t: ExecutionContext, cluster: Cluster, ...values: readonly string[]): Promise<void> {
  t.teardown(async () => {
    if (!t.passed) process.stderr.write(`${t.title}: what the operator had in the end\n${await lastWords(cluster, OPERATOR_NAMESPACE)}\n`);
  });
  await cluster.helm(
    ...[
      'upgrade',
      '--install',
      RELEASE,
      'charts/rollout',
      '--namespace',
      OPERATOR_NAMESPACE,
      '--create-namespace',
      '--wait',
      '--timeout',
      '3m',
    ],
    // The image has the same name whatever is in it.
    ...[`podAnnotations.image=i${cluster.image}`, ...values].flatMap((value) => ['--set', value]),
  );
}

/** As its users do; the kind and the runs stay. */
export async function uninstallOperator(cluster: Cluster): Promise<void> {
  await cluster.helm('uninstall', RELEASE, '--namespace', OPERATOR_NAMESPACE, '--wait', '--timeout', '2m');
}
