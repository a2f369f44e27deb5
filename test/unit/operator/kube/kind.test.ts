import test from 'ava';
import { apiVersionOf, CORE_EVENT, collectionPath, DEPLOYMENT, EVENT, NODE, objectPath, POD } from '../../../../operator/kube/kind.ts';

test('paths follow from group, namespace and name', (t) => {
  t.is(collectionPath(POD, null), '/api/v1/pods');
  t.is(collectionPath(POD, 'ns'), '/api/v1/namespaces/ns/pods');
  t.is(collectionPath(DEPLOYMENT, 'ns'), '/apis/apps/v1/namespaces/ns/deployments');
  t.is(objectPath(POD, { namespace: 'ns', name: 'p' }), '/api/v1/namespaces/ns/pods/p');
  t.is(objectPath(DEPLOYMENT, { namespace: 'ns', name: 'd' }, 'status'), '/apis/apps/v1/namespaces/ns/deployments/d/status');
  t.is(objectPath(NODE, { namespace: null, name: 'n' }), '/api/v1/nodes/n');
});

test('a kind without namespaces has no namespace in its path, and a name cannot leave its place', (t) => {
  t.is(objectPath(NODE, { namespace: 'ns', name: 'n' }), '/api/v1/nodes/n');
  t.is(objectPath(POD, { namespace: 'a/b', name: '../c?d' }), '/api/v1/namespaces/a%2Fb/pods/..%2Fc%3Fd');
});

test('an API version names the group unless it is the core group', (t) => {
  t.is(apiVersionOf(POD), 'v1');
  t.is(apiVersionOf(DEPLOYMENT), 'apps/v1');
});

test('events are reached under both of their names', (t) => {
  t.is(collectionPath(EVENT, 'ns'), '/apis/events.k8s.io/v1/namespaces/ns/events');
  t.is(collectionPath(CORE_EVENT, 'ns'), '/api/v1/namespaces/ns/events');
});
