import type { ServerResponse } from 'node:http';
import test from 'ava';
import { answerJson, refuse, statusOf } from '../../../support/api-edge.ts';
import { type CacheStage, cacheStage, equal, isEqual, pass, passing, startedCache } from '../../../support/cache-stage.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

test('a watch that the server ends goes on from the last event, bookmarks included, without a list', async (t) => {
  const made = await startedCache(t, ['a']);
  made.edge.put('b');
  await equal(made);
  made.edge.elsewhere(50);
  made.edge.bookmark();
  const reached = made.edge.version;
  made.edge.forget();
  made.edge.endWatches();
  await passing(made, 'it watches again', () => made.edge.watches.length === 2 && made.edge.openWatches === 1);
  t.is(made.edge.watches[1], reached);
  made.edge.put('c');
  await equal(made);
  t.is(made.edge.lists.length, 1);
});

test('events that happened between two watches are in the second', async (t) => {
  const made = await startedCache(t, ['a', 'b']);
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

const EXPIRED: readonly (readonly [string, (made: CacheStage) => void])[] = [
  [
    'as HTTP 410',
    ({ edge }) => {
      edge.elsewhere(5);
      edge.forget();
      edge.breakWatches();
    },
  ],
  ['within the stream', ({ edge }) => edge.send({ type: 'ERROR', object: statusOf(410, 'Expired', 'too old resource version') })],
];

for (const [how, expire] of EXPIRED) {
  test(`a version that has expired, told ${how}: one newest list, with what is gone`, async (t) => {
    const made = await startedCache(t, ['a', 'b', 'c']);
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

test('a connection that is dead without a word is given up, and nothing is missed', async (t) => {
  const made = await startedCache(t, ['a']);
  made.edge.failNext('watch', (response) => {
    // An answer begins, and then nothing ever comes.
    response.writeHead(200);
    response.flushHeaders();
  });
  made.edge.breakWatches();
  await passing(made, 'the silent watch is open', () => made.edge.watches.length === 2);
  made.edge.put('b');
  const fromMs = made.clock.monotonicMs();
  await passing(made, 'it watches again', () => made.edge.watches.length >= 3);
  // A bookmark would have come each minute.
  t.true(made.clock.monotonicMs() - fromMs < 250_000);
  await equal(made);
  t.is(made.edge.lists.length, 1);
});

test('a watch that the server does not end is ended soon after its time, though events come', async (t) => {
  const made = await startedCache(t, ['a']);
  let minutes = 0;
  for (; minutes < 20 && made.edge.watches.length === 1; minutes += 1) {
    made.edge.put('a');
    await equal(made);
    await pass(made, 60);
  }
  // Its time is five to ten minutes.
  t.true(minutes > 5 && minutes <= 12, `${minutes} minutes`);
  await equal(made);
  t.is(made.edge.lists.length, 1);
});

test('an answer that does not come to a list is not waited for without end', async (t) => {
  const made = await cacheStage(t, ['a']);
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
  const made = await startedCache(t, ['a']);
  const end = (response: ServerResponse): void => {
    response.writeHead(200);
    response.end();
  };
  for (let at = 0; at < 200; at += 1) made.edge.failNext('watch', end);
  made.edge.breakWatches();
  await passing(made, 'the first one ended', () => made.edge.watches.length >= 2);
  // Each wait is drawn from nothing to 30 s in the end: five minutes have room for a few dozen.
  await pass(made, 300);
  t.true(made.edge.watches.length < 60, `${made.edge.watches.length} watches in five minutes`);
  t.true(made.restarts.filter((reason) => reason === 'closed-early').length > 5);
  t.is(made.edge.lists.length, 1);
});

test('too many requests: the next one comes when the server wants it, and is no list', async (t) => {
  const made = await startedCache(t, ['a']);
  made.edge.failNext('watch', (response) => refuse(response, 429, 'TooManyRequests', 'slow down', { 'retry-after': '20' }));
  made.edge.breakWatches();
  await passing(made, 'the watch is refused', () => made.restarts.includes('throttled'));
  const asked = made.edge.watches.length;
  await pass(made, 18);
  t.is(made.edge.watches.length, asked);
  await passing(made, 'it watches again', () => made.edge.openWatches === 1);
  t.is(made.edge.lists.length, 1);
  t.is(made.informer.trouble(), null);
});

test('a server that fails for a while is asked again until it does not', async (t) => {
  const made = await cacheStage(t, ['a']);
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
  const made = await cacheStage(t, ['a']);
  made.edge.failNext('list', (response) => refuse(response, 403, 'Forbidden', 'pods is forbidden'));
  made.informer.start();
  await until('trouble is reported', PATIENCE_MS, () => made.informer.trouble()?.kind === 'denied');
  t.regex(made.informer.trouble()?.message ?? '', /pods is forbidden/);
  t.false(made.informer.hasSynced());
  await passing(made, 'the cache has synced', () => made.informer.hasSynced());
  t.is(made.informer.trouble(), null);
});
