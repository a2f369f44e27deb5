import test from 'ava';
import type { KubeObject, ObjectMeta } from '../../../../operator/kube/object.ts';
import { Store } from '../../../../operator/kube/store.ts';

interface Thing extends KubeObject {
  readonly node?: string;
}

function thing(name: string, version: string, more: Partial<ObjectMeta> = {}, node?: string): Thing {
  return {
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: version, ...more },
    ...(node === undefined ? {} : { node }),
  };
}

const names = (things: Iterable<Thing>): readonly string[] => [...things].map(({ metadata }) => metadata.name).toSorted();

test('the first list is initial, what comes later is not', (t) => {
  const store = new Store<Thing>();
  const a = thing('a', '1');
  t.deepEqual(store.replace([a]), [{ kind: 'added', object: a, isInitial: true }]);
  const b = thing('b', '2');
  t.deepEqual(store.put(b), [{ kind: 'added', object: b, isInitial: false }]);
  const c = thing('c', '3');
  t.deepEqual(store.replace([a, b, c]), [{ kind: 'added', object: c, isInitial: false }]);
});

test('a list says what has changed and what is gone, and nothing of what is as it was', (t) => {
  const store = new Store<Thing>();
  const [a, b, c] = [thing('a', '1'), thing('b', '1'), thing('c', '1')];
  store.replace([a, b, c]);
  const newer = thing('b', '2');
  t.deepEqual(store.replace([a, newer]), [
    { kind: 'deleted', object: c, isAssumed: true },
    { kind: 'updated', before: b, object: newer, isResync: false },
  ]);
  t.is(store.size, 2);
  t.deepEqual(store.replace([a, newer]), []);
});

test('the last state of what was deleted is told', (t) => {
  const store = new Store<Thing>();
  store.put(thing('a', '1'));
  const last = thing('a', '5', { labels: { last: 'yes' } });
  t.deepEqual(store.remove(last), [{ kind: 'deleted', object: last, isAssumed: false }]);
  t.deepEqual(store.remove(last), []);
  t.is(store.get('ns/a'), undefined);
});

test('another uid under the same name is the end of one object and the beginning of another', (t) => {
  const store = new Store<Thing>();
  const first = thing('a', '1');
  store.put(first);
  const second = thing('a', '2', { uid: 'other' });
  t.deepEqual(store.put(second), [
    { kind: 'deleted', object: first, isAssumed: true },
    { kind: 'added', object: second, isInitial: false },
  ]);
});

test('objects are found by key, namespace, owner and what else the store was told', (t) => {
  const store = new Store<Thing>({ node: ({ node }) => (node === undefined ? [] : [node]) });
  const owner = { apiVersion: 'v1', kind: 'K', name: 'o', uid: 'owner' };
  store.replace([thing('a', '1', {}, 'n1'), thing('b', '1', { namespace: 'other', ownerReferences: [owner] }, 'n1'), thing('c', '1')]);
  t.deepEqual(names(store.list()), ['a', 'b', 'c']);
  t.deepEqual(names(store.inNamespace('ns')), ['a', 'c']);
  t.deepEqual(names(store.inNamespace('none')), []);
  t.deepEqual(names(store.ownedBy('owner')), ['b']);
  t.deepEqual(names(store.by('node', 'n1')), ['a', 'b']);
  t.is(store.get('other/b')?.metadata.name, 'b');
  t.is(store.get('ns/b'), undefined);
  t.throws(() => store.by('zone', 'z'), { message: /no index zone/ });
});

test('an index follows what becomes of an object', (t) => {
  const store = new Store<Thing>({ node: ({ node }) => (node === undefined ? [] : [node]) });
  store.put(thing('a', '1', {}, 'n1'));
  store.put(thing('b', '1', {}, 'n1'));
  store.put(thing('a', '2', {}, 'n2'));
  t.deepEqual(names(store.by('node', 'n1')), ['b']);
  t.deepEqual(names(store.by('node', 'n2')), ['a']);
  t.is([...store.by('node', 'n2')][0]?.metadata.resourceVersion, '2');
  store.put(thing('b', '2', { labels: { new: 'yes' } }, 'n1'));
  t.is([...store.by('node', 'n1')][0]?.metadata.resourceVersion, '2');
  store.remove(thing('a', '3'));
  t.deepEqual(names(store.by('node', 'n2')), []);
  store.replace([]);
  t.deepEqual(names(store.by('node', 'n1')), []);
  t.deepEqual(names(store.inNamespace('ns')), []);
});
