import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { PATIENCE_MS } from '../until.ts';
import { lastWords } from './last-words.ts';
import type { Cluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

/** Long enough for a process that ends when it is told to, and short where nobody needs its end any more. */
const GRACE_SECONDS = 1;

/**
 * A namespace of the test's own, in which pods have to meet the restricted standard unless another one is asked for. At the test's end it is deleted, which nobody waits
 * for; where the test has failed, what its pods and events say is written to stderr first.
 */
export async function testNamespace(
  t: ExecutionContext,
  cluster: Cluster,
  standard: 'restricted' | 'privileged' = 'restricted',
): Promise<string> {
  const { api } = cluster;
  const name = `rollout-test-${randomBytes(4).toString('hex')}`;
  t.teardown(async () => {
    if (!t.passed) process.stderr.write(`${t.title}: what its namespace had in the end\n${await lastWords(cluster, name)}\n`);
    await api.call('DELETE', `/api/v1/namespaces/${name}/pods`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: GRACE_SECONDS,
    });
    // A test may have deleted it itself.
    if ((await api.find(`/api/v1/namespaces/${name}`)) !== null) await api.call('DELETE', `/api/v1/namespaces/${name}`);
  });
  await api.call('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': standard } },
  });
  // Without it a pod is refused.
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await untilSeen(
    `${name} has its service account`,
    PATIENCE_MS,
    () => api.find(account),
    (seen) => seen !== null,
  );
  return name;
}
