import test from 'ava';
import type { Pod } from '../../../../operator/kube/kind.ts';
import { refuse } from '../../../support/api-edge.ts';
import { cacheStage, equal, isEqual, passing, startedCache, watching } from '../../../support/cache-stage.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

test('one list, and then changes by the watch alone', async (t) => {
  const made = await startedCache(t, ['a', 'b']);
  t.true(isEqual(made));
  t.true(made.informer.hasSynced());
  t.deepEqual(
    made.changes.map((change) => change.kind === 'added' && change.isInitial),
    [true, true],
  );
  made.edge.put('c');
  made.edge.put('a');
  made.edge.remove('b');
  await equal(made);
  await until('all changes are told', PATIENCE_MS, () => made.changes.length === 5);
  t.deepEqual(
    made.changes.slice(2).map(({ kind, object }) => `${kind} ${object.metadata.name}`),
    ['added c', 'updated a', 'deleted b'],
  );
  t.deepEqual(made.edge.lists, ['0']);
  t.is(made.edge.watches.length, 1);
});

test('where names follow from the cache the first list is the newest', async (t) => {
  const made = await startedCache(t, ['a'], { firstList: 'consistent' });
  t.deepEqual(made.edge.lists, ['']);
  t.true(isEqual(made));
});

test('what is gone after a list is deleted, and another object of the same name is another object', async (t) => {
  const made = await startedCache(t, ['a', 'b']);
  const first = made.informer.store.get('ns/a')?.metadata.uid;
  made.edge.failNext('watch', (response) => {
    made.edge.remove('a');
    made.edge.remove('b');
    made.edge.put('a');
    made.edge.forget();
    refuse(response, 410, 'Expired', 'too old resource version');
  });
  made.edge.breakWatches();
  await passing(made, 'the cache is equal again', () => isEqual(made) && made.edge.lists.length === 2);
  const later = made.changes.slice(2);
  t.deepEqual(later.map(({ kind, object }) => `${kind} ${object.metadata.name}`).toSorted(), ['added a', 'deleted a', 'deleted b']);
  t.true(later.every((change) => change.kind !== 'deleted' || change.isAssumed));
  t.not(made.informer.store.get('ns/a')?.metadata.uid, first);
});

test('whether a cache has synced is waited for up to a limit, and no longer than until its end', async (t) => {
  const made = await cacheStage(t);
  const limited = made.informer.synced(5_000);
  await made.clock.advance(5_000);
  t.false(await limited);
  const stopped = made.informer.synced(60_000);
  await made.informer.stop();
  t.false(await stopped);
});

test('events that say nothing are skipped and counted, and the watch goes on', async (t) => {
  const made = await startedCache(t, ['a']);
  made.edge.send({ type: 'RENAMED', object: { kind: 'Pod', metadata: { name: 'x', resourceVersion: '999999' } } });
  made.edge.send({ type: 'ADDED', object: { kind: 'Node', metadata: { name: 'x', resourceVersion: '999999' } } });
  made.edge.send({ type: 'ADDED' });
  made.edge.sendText('this is no event\n\n[]\nnull\n');
  made.edge.put('b');
  await equal(made);
  t.is(made.skipped(), 7);
  t.is(made.edge.watches.length, 1);
});

test('an event that is cut off is told in the next watch', async (t) => {
  const made = await startedCache(t, ['a']);
  made.edge.sendText('{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"half"');
  made.edge.endWatches();
  made.edge.put('b');
  await passing(made, 'the cache is equal', () => isEqual(made));
  t.is(made.edge.lists.length, 1);
});

test('a huge object is taken, in a list and in a watch', async (t) => {
  const text = 'x'.repeat(6 * 2 ** 20);
  const made = await cacheStage(t);
  made.edge.put('a', { spec: { text } });
  made.informer.start();
  await watching(made);
  made.edge.put('b', { spec: { text } });
  await equal(made);
  const [first] = made.informer.store.inNamespace('ns');
  t.is((first as unknown as { readonly spec: { readonly text: string } }).spec.text.length, text.length);
});

test('an object without an end is not read for ever', async (t) => {
  const made = await startedCache(t, ['a']);
  const piece = 'x'.repeat(2 ** 20);
  made.edge.failNext('watch', (response) => {
    response.writeHead(200);
    const more = (): boolean => !response.destroyed && response.write(piece, () => more());
    more();
  });
  made.edge.breakWatches();
  await passing(made, 'it is given up', () => made.restarts.length >= 2 && made.edge.openWatches === 1);
  t.true(isEqual(made));
});

test('a storm of changes ends with an equal cache, and no list', async (t) => {
  const made = await startedCache(t, ['a']);
  for (let at = 0; at < 3_000; at += 1) {
    made.edge.put(`pod-${at % 150}`);
    if (at % 7 === 0) made.edge.remove(`pod-${at % 150}`);
    if (at % 500 === 0) made.edge.breakWatches();
  }
  await passing(made, 'the cache is equal', () => isEqual(made));
  t.is(made.edge.lists.length, 1);
});

test('a handler that throws takes nothing from the others', async (t) => {
  const made = await cacheStage(t, ['a']);
  const seen: string[] = [];
  made.informer.addHandler(() => {
    throw new Error('a bug');
  });
  made.informer.addHandler(({ object }) => seen.push(object.metadata.name));
  made.informer.start();
  await watching(made);
  made.edge.put('b');
  await equal(made);
  t.deepEqual(seen, ['a', 'b']);
});

test('the cache keeps what the trim leaves, and refuses to be changed', async (t) => {
  const trim = ({ metadata: { name, namespace, resourceVersion } }: Pod): Pod => ({
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  });
  const made = await cacheStage(t, [], { trim });
  made.edge.put('a', { spec: { containers: [] } });
  made.informer.start();
  await watching(made);
  made.edge.put('b', { spec: { containers: [] } });
  await equal(made);
  for (const object of made.informer.store.list()) t.deepEqual(Object.keys(object), ['metadata']);
  const kept = made.informer.store.get('ns/a');
  t.throws(() => Object.assign(kept?.metadata ?? {}, { name: 'b' }), { instanceOf: TypeError });
});

test('every ten hours or so the cache is shown again, and the server is not asked', async (t) => {
  const made = await startedCache(t, ['a']);
  made.changes.length = 0;
  // Watches come and go meanwhile, each after its time.
  for (let hours = 0; hours < 11; hours += 1) await made.clock.advance(3_600_000);
  await until('it was shown', PATIENCE_MS, () => made.changes.length > 0);
  t.like(made.changes[0], { kind: 'updated', isResync: true });
  t.is(made.edge.lists.length, 1);
});

test('after the end no call is made, whatever was under way', async (t) => {
  const made = await startedCache(t, ['a']);
  await made.informer.stop();
  const calls = made.edge.lists.length + made.edge.watches.length;
  await made.clock.advance(3_600_000);
  t.is(made.edge.lists.length + made.edge.watches.length, calls);
  t.is(made.edge.openWatches, 0);
});
