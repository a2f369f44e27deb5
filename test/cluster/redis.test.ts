import test from 'ava';
import type { Redis } from 'ioredis';
import type { KubeObject } from '../../operator/kube/object.ts';
import { partsOf } from '../support/cluster/recorded-parts.ts';
import { redisStage } from '../support/cluster/redis-stage.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** As the operator has it, and some for a machine with much to do. */
const HELD_MS = 25_000;
const store = { redis: { secretRef: { name: 'redis' } } };

/** Milliseconds until the first key expires, and how many keys there are; -1 where one is kept for ever. */
async function keysLeft(client: Redis): Promise<{ readonly keys: number; readonly leastMs: number }> {
  const keys = await client.keys('rollout:*');
  const times = await Promise.all(keys.map((key) => client.pttl(key)));
  return { keys: keys.length, leastMs: Math.min(...times) };
}

test.serial('a run that is deleted in the middle of its work is gone at once, and its keys on the Redis server expire', async (t) => {
  const stage = await redisStage(t);
  if (stage === null) return;
  const { cluster, namespace, client } = stage;
  const run = await ClusterRun.apply(cluster, namespace, { name: 'unwanted', items: 900, spec: { coordinator: { store } } });
  await run.untilRecorded(20);
  t.is((await keysLeft(client)).leastMs, -1);
  const begunMs = performance.now();
  await run.delete();
  const maps = (): Promise<readonly { readonly metadata: { readonly name: string } }[]> =>
    cluster.api.list(`/api/v1/namespaces/${namespace}/configmaps`);
  await untilSeen(
    'the operator has retired the run',
    PATIENCE_MS,
    maps,
    (all) => !all.some(({ metadata }) => metadata.name.includes('redis-keys')),
  );
  t.log(`the run is retired after ${Math.round(performance.now() - begunMs)} ms`);
  const left = await keysLeft(client);
  t.true(left.keys >= 6 && left.leastMs > 0, JSON.stringify(left));
});

test.serial('a namespace whose Redis server does not answer is not held up by it', async (t) => {
  const stage = await redisStage(t);
  if (stage === null) return;
  const { cluster, namespace, signal } = stage;
  const run = await ClusterRun.apply(cluster, namespace, { name: 'cut-off', items: 900, spec: { coordinator: { store } } });
  await run.untilRecorded(20);
  signal('SIGSTOP');
  const begunMs = performance.now();
  const after = (): string => `${Math.round(performance.now() - begunMs)} ms`;
  await cluster.api.call('DELETE', `/api/v1/namespaces/${namespace}`);
  // Pods go first, and then everything else, as each namespace has it.
  const record = async (): Promise<KubeObject | undefined> =>
    (await cluster.api.list<KubeObject>(`/api/v1/namespaces/${namespace}/configmaps`)).find(({ metadata }) =>
      metadata.name.includes('redis-keys'),
    );
  const leaving = await untilSeen(
    'its objects go',
    2 * PATIENCE_MS,
    record,
    (one) => one === undefined || one.metadata.deletionTimestamp !== undefined,
  );
  t.log(`the record of its keys is asked to go after ${after()}`);
  const askedMs = performance.now();
  if (leaving !== undefined) await untilSeen('nothing waits for the server', HELD_MS, record, (one) => one === undefined);
  t.true(performance.now() - askedMs < HELD_MS);
  t.log(`it is gone after ${after()}`);
  await untilSeen(
    'the namespace is gone',
    PATIENCE_MS,
    () => cluster.api.find(`/api/v1/namespaces/${namespace}`),
    (found) => found === null,
  );
  t.log(`the namespace is gone after ${after()}`);
});

test.serial(
  'a run whose results have no room on the Redis server stops with everything kept, and goes on with a higher limit',
  async (t) => {
    const stage = await redisStage(t);
    if (stage === null) return;
    const { cluster, namespace } = stage;
    const coordinator = { store, results: { inlineLimit: '64Ki' } };
    const plan = { name: 'large', items: 400, latency: '20ms', concurrency: 8, spec: { coordinator } };
    const run = await ClusterRun.apply(cluster, namespace, plan);
    const full = await run.until('there is no room', ({ status }) =>
      (status?.conditions ?? []).some(({ type, reason }) => type === 'Progressing' && reason === 'ResultsFull'),
    );
    t.regex(JSON.stringify(full.status?.conditions), /raise spec\.coordinator\.results\.inlineLimit.*allows 65536/);
    t.is(full.status?.phase === 'Failed', false);
    await run.untilNoPods();
    await run.patch({ spec: { coordinator: { results: { inlineLimit: '16Mi' } } } });
    await run.assertComplete(t);
  },
);

test.serial('of a suspended run on a Redis server, what is recorded and what is left are its list; then it goes on', async (t) => {
  const stage = await redisStage(t);
  if (stage === null) return;
  const { cluster, namespace } = stage;
  const run = await ClusterRun.apply(cluster, namespace, { name: 'paused', items: 200, latency: '1s', spec: { coordinator: { store } } });
  await run.untilRecorded(20);
  await run.patch({ spec: { suspend: true } });
  await run.untilCondition('Suspended', 'True');
  const { recorded, left } = await partsOf(t, cluster, run);
  t.true(recorded.length >= 20 && left.length > 0);
  t.deepEqual([...recorded, ...left].toSorted(), Array.from({ length: 200 }, (_, at) => `item-${at}`).toSorted());
  await run.patch({ spec: { suspend: false } });
  await run.assertComplete(t);
});
