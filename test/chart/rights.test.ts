import test from 'ava';
import { findHelm, type Rendered, type Rule, theOne } from '../support/chart/helm.ts';
import { CLUSTER_WIDE, EVERYTHING, NAMESPACED } from '../support/chart/modes.ts';
import { type Rights, rightsOf, rolesOfOperator } from '../support/chart/rights.ts';

/** A child that is applied as it should be, and deleted when it is not wanted any more. */
const CHILD = ['create', 'delete', 'list', 'patch', 'watch'];
/** One that goes with its run, of a kind that users have too. */
const KEPT = ['create', 'get', 'list', 'patch', 'watch'];

/** What the operator does with the objects of a namespace. */
const OF_NAMESPACES: Rights = {
  'rollout.run/rolloutruns': ['delete', 'list', 'watch'],
  'rollout.run/rolloutruns/status': ['patch'],
  'rollout.run/rolloutruns/finalizers': ['update'],
  '/namespaces': ['get'],
  '/pods': ['create', 'delete', 'list', 'watch'],
  '/configmaps': KEPT,
  '/secrets': KEPT,
  '/persistentvolumeclaims': KEPT,
  '/services': CHILD,
  'apps/deployments': CHILD,
  'policy/poddisruptionbudgets': CHILD,
  'networking.k8s.io/networkpolicies': CHILD,
  'events.k8s.io/events': ['create', 'patch'],
};

function rolesIn(objects: readonly Rendered[], kind: string): readonly Rendered[] {
  return objects.filter((one) => one.kind === kind);
}

const helm = findHelm();
const wide = helm.render(CLUSTER_WIDE);
const narrow = helm.render(NAMESPACED);
const full = helm.render(EVERYTHING);

test('no role has everything, of anything', (t) => {
  const rules: readonly Rule[] = [...wide, ...narrow, ...full].flatMap((one) => one.rules ?? []);
  t.true(rules.length >= 20);
  for (const rule of rules) t.false(Object.values(rule).flat().includes('*'), JSON.stringify(rule));
});

test('cluster-wide: the operator may do what it does, and nothing else', (t) => {
  t.deepEqual(rightsOf(rolesIn(rolesOfOperator(wide), 'ClusterRole')), {
    ...OF_NAMESPACES,
    '/nodes': ['list', 'watch'],
    'authentication.k8s.io/tokenreviews': ['create'],
    'authorization.k8s.io/subjectaccessreviews': ['create'],
  });
});

test('namespaced: the same rights in each namespace, and none elsewhere', (t) => {
  for (const namespace of ['team-a', 'team-b'])
    t.deepEqual(rightsOf(rolesIn(narrow, 'Role').filter(({ metadata }) => metadata.namespace === namespace)), OF_NAMESPACES, namespace);
  t.deepEqual(rolesIn(narrow, 'ClusterRole'), []);
});

test('the lease is one by name, in the namespace of the release', (t) => {
  const role = theOne(wide, 'Role', 'leader-election');
  t.deepEqual(rightsOf([role]), { 'coordination.k8s.io/leases': ['create', 'get', 'patch'] });
  const named = (role.rules ?? []).filter(({ verbs }) => !verbs.includes('create'));
  t.deepEqual(
    named.map(({ resourceNames }) => resourceNames),
    [['trial-rollout-operator']],
  );
});

test('certificates of cert-manager only where they are asked for', (t) => {
  const rights = (objects: readonly Rendered[], resource: string): readonly string[] | undefined =>
    rightsOf(rolesIn(objects, 'ClusterRole'))[`cert-manager.io/${resource}`];
  t.is(rights(wide, 'certificates'), undefined);
  t.is(rights(wide, 'issuers'), undefined);
  t.deepEqual(rights(full, 'certificates'), ['create', 'get', 'patch']);
  t.deepEqual(rights(full, 'issuers'), ['create', 'patch']);
});

test('admin, edit and view of a namespace get their rights on runs', (t) => {
  const verbs = (role: string): readonly string[] => {
    const found = wide.filter(({ metadata }) => metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${role}`] === 'true');
    return rightsOf(found)['rollout.run/rolloutruns'] ?? [];
  };
  t.deepEqual(verbs('view'), ['get', 'list', 'watch']);
  t.deepEqual(verbs('edit'), ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']);
  t.true(verbs('admin').includes('deletecollection'));
});

test('each role is bound to the account of the operator, or is one for others', (t) => {
  for (const objects of [wide, narrow, full]) {
    const bound = new Set(
      objects.flatMap(({ kind, metadata }) => (/Binding$/.test(kind) ? [`${metadata.namespace} ${metadata.name}`] : [])),
    );
    for (const role of rolesOfOperator(objects)) t.true(bound.has(`${role.metadata.namespace} ${role.metadata.name}`), role.metadata.name);
  }
});

test('without rbac.create there is none', (t) => {
  t.deepEqual(
    helm.render({ rbac: { create: false } }).filter(({ kind }) => /Role/.test(kind)),
    [],
  );
});
