import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findHelm } from '../support/chart/helm.ts';
import { EVERYTHING } from '../support/chart/modes.ts';
import { type Rights, rightsFrom, rightsOf, rolesOfOperator } from '../support/chart/rights.ts';
import { type AuditedCall, auditedCalls, lackingIn } from '../support/cluster/audit.ts';
import { OPERATOR_ACCOUNT } from '../support/cluster/operator.ts';
import { CLUSTERS, clusterRun } from '../support/cluster/scripts.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';

/**
 * The rights of the operator against its calls in all other tests of the clusters, which run before this one. Alone on a fresh cluster it
 * fails, and names the rights for which nothing has been a reason.
 */

/** What is granted, and seen in no call, or not in each run of the tests. */
const RARE: Rights = {
  // No call: the API server of some clusters looks for it when a child names its run as an owner whose deletion waits.
  'rollout.run/rolloutruns/finalizers': ['update'],
  // Asked while a Certificate is pending; an issuer may be faster than the next look.
  'cert-manager.io/certificates': ['get'],
  // Only a repeated Event is a series.
  'events.k8s.io/events': ['patch'],
};

/** An apply that makes the object needs the right to create it, and is written down as a patch. */
function rightsIn(calls: readonly AuditedCall[]): Rights {
  const pairs = calls.map(({ resource, verb }) => [resource, verb] as const);
  const made = calls.filter(({ verb, code }) => verb === 'patch' && code === 201).map(({ resource }) => [resource, 'create'] as const);
  return rightsFrom([...pairs, ...made]);
}

function without(rights: Rights, others: Rights): Rights {
  const left = Object.entries(rights).map(
    ([resource, verbs]) => [resource, verbs.filter((verb) => !others[resource]?.includes(verb))] as const,
  );
  return Object.fromEntries(left.filter(([, verbs]) => verbs.length > 0));
}

test.serial('the operator may do what it has done in the tests, and nothing else', async (t) => {
  const { isOwn } = await startCluster({ nodes: 0 });
  if (!isOwn) return t.pass('only the cluster of the tests writes down the calls');
  const runs = CLUSTERS.map(clusterRun).filter((run) => existsSync(join(run, 'logs')));
  for (const run of runs) {
    const logs = readdirSync(join(run, 'logs')).filter((name) => name.startsWith('audit'));
    t.deepEqual(logs, ['audit.log'], 'none of it has been put aside, and then thrown away');
  }
  const calls = runs.flatMap((run) => auditedCalls(OPERATOR_ACCOUNT, run));
  t.deepEqual(lackingIn(calls), [], 'nothing was refused for want of a right');
  const used = rightsIn(calls.filter(({ isDenied }) => !isDenied));
  const granted = rightsOf(rolesOfOperator(findHelm().render(EVERYTHING)));
  t.deepEqual(without(used, granted), {}, 'what is used is granted');
  t.deepEqual(without(without(granted, used), RARE), {}, 'what is granted is used');
});
