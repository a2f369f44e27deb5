import test from 'ava';
import { controllerOf, type KubeObject, keyOf, refOf, refOfKey } from '../../../../operator/kube/object.ts';

const POD: KubeObject = { metadata: { name: 'p', namespace: 'ns' } };
const NODE: KubeObject = { metadata: { name: 'n' } };

test('a key names the namespace where there is one, and is read back', (t) => {
  t.is(keyOf(POD), 'ns/p');
  t.is(keyOf(NODE), 'n');
  t.deepEqual(refOfKey('ns/p'), { namespace: 'ns', name: 'p' });
  t.deepEqual(refOfKey('n'), { namespace: null, name: 'n' });
  t.deepEqual(refOf(POD), refOfKey(keyOf(POD)));
  t.deepEqual(refOf(NODE), refOfKey(keyOf(NODE)));
});

test('the controller is the owner that is marked as such', (t) => {
  const owner = { apiVersion: 'v1', kind: 'K', name: 'o', uid: 'u' };
  const controller = { ...owner, name: 'c', controller: true };
  t.is(controllerOf({ metadata: { name: 'p', ownerReferences: [owner, controller] } }), controller);
  t.is(controllerOf({ metadata: { name: 'p', ownerReferences: [owner, { ...owner, controller: false }] } }), null);
  t.is(controllerOf(POD), null);
});
