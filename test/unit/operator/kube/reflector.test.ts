import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { createInformer, type Informer, type InformerOptions } from '../../../../operator/kube/informer.ts';
import { POD, type Pod } from '../../../../operator/kube/kind.ts';
import type { Change } from '../../../../operator/kube/store.ts';
import { createTransport } from '../../../../operator/kube/transport.ts';
import { ApiEdge, answerJson, refuse, statusOf } from '../../../support/api-edge.ts';
import { edgeCredentials } from '../../../support/edge-config.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

interface Stage {
  readonly edge: ApiEdge;
  readonly informer: Informer<Pod>;
  readonly clock: ManualClock;
  readonly changes: Change<Pod>[];
  readonly restarts: string[];
  readonly skipped: () => number;
}

/** A cache of pods that follows an API server of the test's own, by a clock that stands still. */
async function stage(t: ExecutionContext, names: readonly string[] = [], more: Partial<InformerOptions<Pod>> = {}): Promise<Stage> {
  const edge = new ApiEdge('Pod');
  for (const name of names) edge.put(name);
  const credentials = edgeCredentials(await edge.start(t));
  const clock = new ManualClock();
  const transport = createTransport({ credentials, clock, userAgent: 'test' });
  const restarts: string[] = [];
  let skipped = 0;
  const observer = {
    onList: () => undefined,
    onRestart: (reason: string) => restarts.push(reason),
    onSkipped: () => {
      skipped += 1;
    },
  };
  const informer = createInformer({
    transport,
    kind: POD,
    scope: { namespace: null },
    firstList: 'cached',
    isFrozen: true,
    clock,
    random: seededRandom(1),
    log: silentLog,
    observer,
    ...more,
  });
  const changes: Change<Pod>[] = [];
  informer.addHandler((change) => changes.push(change));
  t.teardown(async () => {
    await informer.stop();
    transport.close();
  });
  return { edge, informer, clock, changes, restarts, skipped: () => skipped };
}

async function started(t: ExecutionContext, names: readonly string[] = [], more: Partial<InformerOptions<Pod>> = {}): Promise<Stage> {
  const made = await stage(t, names, more);
  made.informer.start();
  await watching(made);
  return made;
}

async function watching({ edge }: Stage): Promise<void> {
  await until('a watch is open', PATIENCE_MS, () => edge.openWatches === 1);
}

/** Whether the cache has exactly what the server has. */
function isEqual({ edge, informer }: Stage): boolean {
  const versions = new Map([...informer.store.list()].map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  return versions.size === edge.objects.size && [...edge.objects].every(([name, { metadata }]) => versions.get(name) === metadata.resourceVersion);
}

async function equal(made: Stage): Promise<void> {
  await until('the cache is equal to the server', PATIENCE_MS, () => isEqual(made));
}

/** Time passes until `isThere`, in steps that no wait of a reflector is shorter than. */
async function passing({ clock }: Stage, what: string, isThere: () => boolean): Promise<void> {
  await until(what, PATIENCE_MS, async () => {
    await clock.advance(1_000);
    return isThere();
  });
}

test('one list, and then changes by the watch alone', async (t) => {
  const made = await started(t, ['a', 'b']);
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
  const made = await started(t, ['a'], { firstList: 'consistent' });
  t.deepEqual(made.edge.lists, ['']);
  t.true(isEqual(made));
});

test('a watch that the server ends goes on from the last event, bookmarks included, without a list', async (t) => {
  const made = await started(t, ['a']);
  made.edge.put('b');
  await equal(made);
  made.edge.elsewhere(50);
  made.edge.bookmark();
  const reached = made.edge.version;
  // What comes before the end is read before it.
  await made.clock.advance(400_000 / 1_000);
  made.edge.forget();
  made.edge.endWatches();
  await passing(made, 'it watches again', () => made.edge.watches.length === 2 && made.edge.openWatches === 1);
  t.is(made.edge.watches[1], reached);
  made.edge.put('c');
  await equal(made);
  t.is(made.edge.lists.length, 1);
});

test('events that happened between two watches are in the second', async (t) => {
  const made = await started(t, ['a', 'b']);
  made.edge.failNext('watch', (response) => refuse(response, 503, 'ServiceUnavailable', 'stopping'));
  made.edge.breakWatches();
  await until('the second watch is refused', PATIENCE_MS, () => made.edge.openWatches === 0);
  made.edge.put('a');
  made.edge.remove('b');
  made.edge.put('c');
  await passing(made, 'the cache is equal again', () => isEqual(made));
  t.is(made.edge.lists.length, 1);
  t.true(made.changes.some((change) => change.kind === 'deleted' && change.object.metadata.name === 'b' && !change.isAssumed));
});

const EXPIRED: readonly (readonly [string, (made: Stage) => void])[] = [
  [
    'as HTTP 410',
    ({ edge }) => {
      edge.forget();
      edge.breakWatches();
    },
  ],
  ['within the stream', ({ edge }) => edge.send({ type: 'ERROR', object: statusOf(410, 'Expired', 'too old resource version') })],
];

for (const [how, expire] of EXPIRED) {
  test(`a version that has expired, told ${how}: one newest list, with what is gone`, async (t) => {
    const made = await started(t, ['a', 'b', 'c']);
    // Nobody hears of these changes.
    for (let at = 0; at < 3; at += 1) {
      made.edge.failNext('watch', (response) => refuse(response, 410, 'Expired', 'too old resource version'));
    }
    made.edge.breakWatches();
    await until('the watch is closed', PATIENCE_MS, () => made.edge.openWatches === 0);
    made.edge.remove('b');
    made.edge.put('c');
    made.edge.put('d');
    await passing(made, 'the cache is equal again', () => isEqual(made) && made.edge.openWatches === 1);
    t.true(made.changes.some((change) => change.kind === 'deleted' && change.object.metadata.name === 'b'));
    const lists = made.edge.lists.length;
    expire(made);
    await passing(made, 'it has listed again', () => made.edge.lists.length > lists && made.edge.openWatches === 1);
    t.is(made.edge.lists.at(-1), '');
    t.true(made.restarts.includes('expired'));
    t.true(isEqual(made));
  });
}

test('what is gone after a list is deleted, and another object of the same name is another object', async (t) => {
  const made = await started(t, ['a', 'b']);
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
  t.deepEqual([...made.informer.store.ownedBy('none')], []);
});

test('a connection that is dead without a word is given up, and nothing is missed', async (t) => {
  const made = await started(t, ['a']);
  made.edge.failNext('watch', (response) => {
    // An answer begins, and then nothing ever comes.
    response.writeHead(200);
    response.flushHeaders();
  });
  made.edge.breakWatches();
  await passing(made, 'the silent watch is open', () => made.edge.watches.length === 2);
  made.edge.put('b');
  await passing(made, 'it watches again', () => made.edge.watches.length >= 3);
  await equal(made);
  t.is(made.edge.lists.length, 1);
});

test('a watch that never ends is ended soon after its time, though bookmarks come', async (t) => {
  const made = await started(t, ['a']);
  for (let minutes = 0; minutes < 13 && made.edge.watches.length === 1; minutes += 1) {
    made.edge.bookmark();
    await until('the bookmark is read', PATIENCE_MS, async () => {
      await made.clock.advance(0);
      return true;
    });
    await made.clock.advance(60_000);
  }
  await passing(made, 'it watches again', () => made.edge.watches.length > 1);
  t.is(made.edge.lists.length, 1);
});

test('an answer that does not come to a list is not waited for without end', async (t) => {
  const made = await stage(t, ['a']);
  made.edge.failNext('list', () => undefined);
  made.edge.failNext('list', (response) => {
    response.writeHead(200);
    response.write('{"items":[');
  });
  made.informer.start();
  await passing(made, 'the cache has synced', () => made.informer.hasSynced());
  t.true(isEqual(made));
  t.is(made.edge.lists.length, 3);
});

test('watches that end as soon as they begin are asked for less and less often', async (t) => {
  const made = await started(t, ['a']);
  const end = (response: ServerResponse): void => {
    response.writeHead(200);
    response.end();
  };
  for (let at = 0; at < 200; at += 1) made.edge.failNext('watch', end);
  made.edge.breakWatches();
  await until('the first one ended', PATIENCE_MS, () => made.edge.watches.length >= 2);
  // Each wait is drawn from nothing to 30 s in the end: five minutes have room for a few dozen.
  for (let at = 0; at < 300; at += 1) await made.clock.advance(1_000);
  t.true(made.edge.watches.length < 60, `${made.edge.watches.length} watches in five minutes`);
  t.true(made.restarts.filter((reason) => reason === 'closed-early').length > 5);
  t.is(made.edge.lists.length, 1);
});

test('too many requests: the next one comes when the server wants it, and is no list', async (t) => {
  const made = await started(t, ['a']);
  made.edge.failNext('watch', (response) => refuse(response, 429, 'TooManyRequests', 'slow down', { 'retry-after': '20' }));
  made.edge.breakWatches();
  await passing(made, 'the watch is refused', () => made.restarts.includes('throttled'));
  const asked = made.edge.watches.length;
  await made.clock.advance(18_000);
  t.is(made.edge.watches.length, asked);
  await passing(made, 'it watches again', () => made.edge.openWatches === 1);
  t.is(made.edge.lists.length, 1);
  t.is(made.informer.trouble(), null);
});

test('a server that fails for a while is asked again until it does not', async (t) => {
  const made = await stage(t, ['a']);
  for (let at = 0; at < 4; at += 1) made.edge.failNext('list', (response) => refuse(response, 500, 'InternalError', 'etcd is away'));
  made.edge.failNext('list', (response) => response.destroy());
  made.edge.failNext('list', (response) => answerJson(response, 200, { items: [] }));
  made.informer.start();
  await passing(made, 'trouble is reported', () => made.informer.trouble() !== null);
  t.like(made.informer.trouble(), { kind: 'failed' });
  await passing(made, 'the cache has synced', () => made.informer.hasSynced());
  t.true(isEqual(made));
  t.is(made.informer.trouble(), null);
  t.is(made.edge.lists.length, 7);
});

test('missing rights are said, and the cache goes on once they are there', async (t) => {
  const made = await stage(t, ['a']);
  made.edge.failNext('list', (response) => refuse(response, 403, 'Forbidden', 'pods is forbidden'));
  made.informer.start();
  await until('trouble is reported', PATIENCE_MS, () => made.informer.trouble()?.kind === 'denied');
  t.regex(made.informer.trouble()?.message ?? '', /pods is forbidden/);
  t.false(await Promise.race([made.informer.synced(10), made.clock.advance(10).then(() => false)]));
  await passing(made, 'the cache has synced', () => made.informer.hasSynced());
  t.is(made.informer.trouble(), null);
});

test('events that say nothing are skipped and counted, and the watch goes on', async (t) => {
  const made = await started(t, ['a']);
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
  const made = await started(t, ['a']);
  made.edge.sendText('{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"half"');
  made.edge.endWatches();
  made.edge.put('b');
  await passing(made, 'the cache is equal', () => isEqual(made));
  t.is(made.edge.lists.length, 1);
});

test('a huge object is taken, in a list and in a watch', async (t) => {
  const text = 'x'.repeat(6 * 2 ** 20);
  const made = await stage(t);
  made.edge.put('a', { spec: { text } });
  made.informer.start();
  await watching(made);
  made.edge.put('b', { spec: { text } });
  await equal(made);
  const [first] = made.informer.store.inNamespace('ns');
  t.is((first as unknown as { readonly spec: { readonly text: string } }).spec.text.length, text.length);
});

test('an object without an end is not read for ever', async (t) => {
  const made = await started(t, ['a']);
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
  const made = await started(t, ['a']);
  for (let at = 0; at < 3_000; at += 1) {
    made.edge.put(`pod-${at % 150}`);
    if (at % 7 === 0) made.edge.remove(`pod-${at % 150}`);
    if (at % 500 === 0) made.edge.breakWatches();
  }
  await passing(made, 'the cache is equal', () => isEqual(made));
  t.is(made.edge.lists.length, 1);
});

test('a handler that throws takes nothing from the others', async (t) => {
  const made = await stage(t, ['a']);
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
  const made = await started(t, ['a'], { trim });
  const kept = made.informer.store.get('ns/a');
  t.deepEqual(Object.keys(kept ?? {}), ['metadata']);
  t.throws(() => Object.assign(kept?.metadata ?? {}, { name: 'b' }), { instanceOf: TypeError });
});

test('every ten hours or so the cache is shown again, and the server is not asked', async (t) => {
  const made = await started(t, ['a']);
  made.changes.length = 0;
  // Watches come and go meanwhile, each after its time.
  for (let hours = 0; hours < 11; hours += 1) await made.clock.advance(3_600_000);
  await until('it was shown', PATIENCE_MS, () => made.changes.length > 0);
  t.like(made.changes[0], { kind: 'updated', isResync: true });
  t.is(made.edge.lists.length, 1);
});

test('after the end no call is made, whatever was under way', async (t) => {
  const made = await started(t, ['a']);
  await made.informer.stop();
  const calls = made.edge.lists.length + made.edge.watches.length;
  await made.clock.advance(3_600_000);
  t.is(made.edge.lists.length + made.edge.watches.length, calls);
  t.is(made.edge.openWatches, 0);
});
