import test from 'ava';
import { ROLLOUT_RUN, type RolloutRun } from '../../../../operator/api/run.ts';
import { CONFIG_MAP, type ConfigMap } from '../../../../operator/kube/kind.ts';
import { Store } from '../../../../operator/kube/store.ts';
import { type Caches, KEY_RECORDS, keyRecordsRun } from '../../../../operator/rollout/caches.ts';
import { redisRecord } from '../../../../operator/rollout/desired/redis-record.ts';
import type { Retirement } from '../../../../operator/rollout/redis-retirements.ts';
import { type ReleaseDeps, releaseFormer } from '../../../../operator/rollout/release-former.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { REDIS } from '../../../support/operator/redis-world.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const KEY = 'team/answers';
const RUN = runOf();

/** `more`: what its record has otherwise. */
function stage(found: Retirement, more: Partial<ConfigMap['metadata']> = {}, home = 'team') {
  const cluster = new MemoryCluster();
  const store = new Store<ConfigMap>({ [KEY_RECORDS]: keyRecordsRun });
  const record = redisRecord(RUN, REDIS);
  const metadata = { ...record.metadata, uid: 'm1', deletionTimestamp: '2026-11-30T10:00:00Z', ...more };
  const leaving = { ...record, data: { ...record.data, namespace: home }, metadata };
  cluster.put(CONFIG_MAP, leaving);
  store.put({ metadata });
  const [events, logged, forgotten, looks]: [string[], string[], string[], string[]] = [[], [], [], []];
  const deps = {
    client: cluster,
    retirements: {
      has: () => looks.length > 0,
      look: ({ runUid }: { readonly runUid: string }) => {
        looks.push(runUid);
        return found;
      },
      forget: () => undefined,
    },
    redisSecrets: { forget: (uid: string) => void forgotten.push(uid) },
    recorder: { record: (event: { readonly reason: string; readonly note: string }) => void events.push(`${event.reason}: ${event.note}`) },
    log: { warn: (_fields: object, text: string) => void logged.push(text) },
  } as unknown as ReleaseDeps;
  const release = (run?: RolloutRun): Promise<boolean> =>
    releaseFormer(deps, { configMaps: { kind: CONFIG_MAP, store } } as unknown as Caches, KEY, run);
  return {
    cluster,
    release,
    events,
    logged,
    forgotten,
    looks,
    there: () => cluster.find(CONFIG_MAP, { namespace: 'team', name: record.metadata.name }),
  };
}

test('once a run is retired its record goes, and nothing more is known of it', async (t) => {
  const { release, there, forgotten, events } = stage({ kind: 'retired' });
  t.false(await release());
  t.is(there(), null);
  t.deepEqual([forgotten, events], [[RUN.metadata.uid], []]);
  t.false(await release(), 'a cache that is behind does no harm');
});

test('while a run is being retired its record stays, and it is looked at again', async (t) => {
  const { release, there, cluster } = stage({ kind: 'pending' });
  t.true(await release());
  t.true(await release());
  t.not(there(), null);
  t.deepEqual(cluster.reads, ['list RolloutRun'], 'that the run is gone is asked once');
});

test('where the keys stay, people are told, and nothing waits any longer', async (t) => {
  const { release, there, events, logged } = stage({ kind: 'kept', message: 'the keys stay' });
  t.false(await release());
  t.is(there(), null);
  t.deepEqual(events, ['RedisKeysKept: the keys stay']);
  t.deepEqual(logged, ['the keys stay'], 'a namespace that is being deleted takes no Event');
});

test('a run that the cache does not have yet keeps its keys', async (t) => {
  const { release, cluster, looks, there } = stage({ kind: 'retired' });
  cluster.put(ROLLOUT_RUN, RUN);
  t.false(await release());
  t.false(await release(RUN));
  t.deepEqual(looks, []);
  t.not(there(), null);
});

test('a record that was made an orphan goes, its run is not retired, and people are told once which keys stay', async (t) => {
  const { release, there, events, logged, looks } = stage({ kind: 'retired' }, { ownerReferences: [] });
  t.false(await release());
  t.is(there(), null);
  t.false(await release(), 'a cache that is behind does no harm');
  t.deepEqual(looks, []);
  t.is(events.length, 1);
  t.regex(events[0] ?? '', /^RedisKeysKept: the keys of the run \w{26} stay on rediss:.*an orphan.* unlink$/);
  t.deepEqual(logged.length, 1);
});

test('of an orphan that is a copy from another namespace no removal is told', async (t) => {
  const { release, there, events } = stage({ kind: 'retired' }, { ownerReferences: [] }, 'original');
  t.false(await release());
  t.is(there(), null);
  t.regex(events[0] ?? '', /copy of the one in the namespace original/);
  t.notRegex(events[0] ?? '', /unlink/);
});
