import test from 'ava';
import { controllerKeys, enqueuedBy, isBeyondStatus } from '../../../../operator/kube/enqueue.ts';
import { DEPLOYMENT, NODE, POD } from '../../../../operator/kube/kind.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../../operator/kube/object.ts';

const OWNER: OwnerReference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1', controller: true };

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { metadata: { name: 'one', namespace: 'ns', ...metadata } };
}

const ownedBy = (owner: Partial<OwnerReference>): KubeObject => object({ ownerReferences: [{ ...OWNER, ...owner }] });

test('a child concerns the object that controls it, in its own namespace', (t) => {
  const keysOf = controllerKeys(DEPLOYMENT);
  t.deepEqual(keysOf(ownedBy({})), ['ns/web']);
  t.deepEqual(keysOf(ownedBy({ apiVersion: 'apps/v2' })), ['ns/web']);
  t.deepEqual(keysOf(ownedBy({ controller: false })), []);
  t.deepEqual(keysOf(ownedBy({ kind: 'StatefulSet' })), []);
  t.deepEqual(keysOf(ownedBy({ apiVersion: 'other.io/v1' })), []);
  t.deepEqual(keysOf(ownedBy({ apiVersion: 'v1' })), []);
  t.deepEqual(keysOf(object({})), []);
});

test('an owner without a namespace is found by its name alone', (t) => {
  t.deepEqual(controllerKeys(NODE)(ownedBy({ apiVersion: 'v1', kind: 'Node', name: 'n1' })), ['n1']);
  t.deepEqual(controllerKeys(POD)(ownedBy({ apiVersion: 'v1', kind: 'Pod', name: 'p' })), ['ns/p']);
});

test('a child that changes hands concerns both', (t) => {
  const change = { kind: 'updated', before: ownedBy({}), object: ownedBy({ name: 'api' }), isResync: false } as const;
  t.deepEqual(enqueuedBy(change, controllerKeys(DEPLOYMENT)), { keys: ['ns/web', 'ns/api'], priority: 'high' });
  t.deepEqual(enqueuedBy({ ...change, object: change.before }, controllerKeys(DEPLOYMENT)).keys, ['ns/web']);
});

test('what a start or a resync shows comes after what has happened', (t) => {
  const child = ownedBy({});
  const keysOf = controllerKeys(DEPLOYMENT);
  t.is(enqueuedBy({ kind: 'added', object: child, isInitial: true }, keysOf).priority, 'low');
  t.is(enqueuedBy({ kind: 'added', object: child, isInitial: false }, keysOf).priority, 'high');
  t.is(enqueuedBy({ kind: 'updated', before: child, object: child, isResync: true }, keysOf).priority, 'low');
  t.is(enqueuedBy({ kind: 'deleted', object: child, isAssumed: true }, keysOf).priority, 'high');
});

test('a change of the status alone is told from all others', (t) => {
  const before = object({ generation: 1, resourceVersion: '1', labels: { a: '1' } });
  const to = (metadata: Partial<ObjectMeta>): boolean =>
    isBeyondStatus({ kind: 'updated', before, object: object({ ...before.metadata, resourceVersion: '2', ...metadata }), isResync: false });
  t.false(to({}));
  t.false(to({ managedFields: [{}] }));
  t.true(to({ generation: 2 }));
  t.true(to({ labels: { a: '2' } }));
  t.true(to({ annotations: { b: '' } }));
  t.true(to({ finalizers: ['x'] }));
  t.true(to({ deletionTimestamp: '2026-01-01T00:00:00Z' }));
  t.true(isBeyondStatus({ kind: 'updated', before, object: before, isResync: true }));
  t.true(isBeyondStatus({ kind: 'added', object: before, isInitial: false }));
  t.true(isBeyondStatus({ kind: 'deleted', object: before, isAssumed: false }));
});
