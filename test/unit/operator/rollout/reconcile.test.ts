import test from 'ava';
import { ROLLOUT_RUN, type RolloutRun } from '../../../../operator/api/run.ts';
import { ApiError } from '../../../../operator/kube/api-error.ts';
import type { Informer } from '../../../../operator/kube/informer.ts';
import * as kinds from '../../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../../operator/kube/object.ts';
import { Store } from '../../../../operator/kube/store.ts';
import {
  type Caches,
  COORDINATORS,
  coordinatorsRun,
  KEY_RECORDS,
  keyRecordsRun,
  WORKERS,
  workersRun,
} from '../../../../operator/rollout/caches.ts';
import type { CoordinatorAnswer } from '../../../../operator/rollout/coordinator-view.ts';
import { NodeSignals } from '../../../../operator/rollout/node-signals.ts';
import { type ReconcileDeps, reconcile } from '../../../../operator/rollout/reconcile.ts';
import type { RunClients } from '../../../../operator/rollout/run-clients.ts';
import { systemRandom } from '../../../../runtime/base/random.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { answerOf, PODS, runOf } from '../../../support/operator/run-world.ts';

const KEY = 'team/answers';
const OTHER_UID = '0193746f-8b1c-7e2a-9f00-000000000000';

function cacheOf<T extends KubeObject>(kind: kinds.Kind<T>): { readonly kind: kinds.Kind<T>; readonly store: Store<T> } {
  return { kind, store: new Store<T>({ [COORDINATORS]: coordinatorsRun, [WORKERS]: workersRun, [KEY_RECORDS]: keyRecordsRun }) };
}

function metadataOf(uid: string): Omit<KubeObject['metadata'], 'name'> {
  const owner = { apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', name: 'answers', uid, controller: true };
  return { namespace: 'team', uid: `of-${uid}`, ownerReferences: [owner] };
}

/** Caches that show what the test puts into them, and a cluster that takes what is written. */
function stage() {
  const [cluster, clock] = [new MemoryCluster(), new ManualClock()];
  const runs = cacheOf(ROLLOUT_RUN);
  const caches = {
    runs,
    pods: cacheOf(kinds.POD),
    deployments: cacheOf(kinds.DEPLOYMENT),
    configMaps: cacheOf(kinds.CONFIG_MAP),
    secrets: cacheOf(kinds.SECRET),
    services: cacheOf(kinds.SERVICE),
    claims: cacheOf(kinds.PERSISTENT_VOLUME_CLAIM),
    budgets: cacheOf(kinds.POD_DISRUPTION_BUDGET),
    policies: cacheOf(kinds.NETWORK_POLICY),
  } satisfies Record<keyof Caches, Pick<Informer<KubeObject>, 'kind' | 'store'>>;
  const forgotten: string[] = [];
  const forget = (uid: string): void => void forgotten.push(uid);
  const deps = {
    client: cluster,
    cachesOf: () => caches as unknown as Caches,
    clients: { forget, ask: async () => null, tellWords: async () => undefined },
    statuses: { forget: () => undefined, write: async () => undefined, latest: (run: RolloutRun) => run },
    redisSecrets: { forget: () => undefined, find: async () => null },
    signals: new NodeSignals([], clock),
    watchesNodes: true,
    observer: { onLook: () => undefined, onGone: () => undefined },
    certManager: { forget: () => undefined, find: async () => null, ensure: async () => undefined },
    recorder: { record: () => undefined },
    pods: PODS,
    clock,
    random: systemRandom,
    lookedAt: new Map<string, string>(),
  } as unknown as ReconcileDeps;
  return {
    cluster,
    deps,
    caches,
    forgotten,
    show: (run: RolloutRun) => runs.store.put(run),
    hide: (run: RolloutRun) => runs.store.remove(run),
  };
}

test('what is known of a run is forgotten when it is gone, is being deleted, has ended, or another one has its name', async (t) => {
  const run = runOf({ suspend: true });
  const uid = run.metadata.uid;
  const ended = { conditions: [{ type: 'Complete', status: 'True', reason: 'x', message: '', lastTransitionTime: '' }] };
  const ends: readonly (RolloutRun | null)[] = [
    null,
    runOf({ suspend: true }, undefined, { deletionTimestamp: '2026-11-30T10:00:00Z' }),
    runOf({ suspend: true }, ended as RolloutRun['status']),
    runOf({ suspend: true }, undefined, { uid: OTHER_UID }),
  ];
  for (const end of ends) {
    const { deps, forgotten, show, hide } = stage();
    show(run);
    for (let looks = 0; looks < 2; looks += 1) await reconcile(deps, KEY);
    t.deepEqual(forgotten, []);
    if (end === null) hide(run);
    else show(end);
    for (let looks = 0; looks < 2; looks += 1) await reconcile(deps, KEY);
    t.deepEqual([...new Set(forgotten)], [uid], JSON.stringify(end?.metadata));
  }
});

test('of a run that another controller works on nothing is asked, and nothing is made', async (t) => {
  const { cluster, deps, show } = stage();
  show(runOf({ managedBy: 'example.com/other' }));
  t.deepEqual(await reconcile(deps, KEY), { kind: 'done' });
  t.deepEqual([cluster.reads, cluster.writes], [[], []]);
});

test('a run that stands still is looked at once a minute, one that waits for its list every two seconds', async (t) => {
  const { cluster, deps, show } = stage();
  show(runOf());
  t.deepEqual(await reconcile(deps, KEY), { kind: 'again', afterMs: 2_000 });
  cluster.put(kinds.CONFIG_MAP, { metadata: { name: 'prompts', namespace: 'team' }, data: { 'items.jsonl': '{}' } });
  show(runOf({ suspend: true }));
  t.deepEqual(await reconcile(deps, KEY), { kind: 'again', afterMs: 60_000 });
});

test('of a suspended run whose list has been found the list is not asked for', async (t) => {
  const { cluster, deps, show } = stage();
  const found = { conditions: [{ type: 'InputReady', status: 'True', reason: 'x', message: '', lastTransitionTime: '' }] };
  show(runOf({ suspend: true }, found as unknown as RolloutRun['status']));
  await reconcile(deps, KEY);
  const lists = (): readonly string[] => cluster.reads.filter((read) => read.startsWith('get ConfigMap'));
  t.deepEqual(lists(), []);
  show(runOf({}, found as unknown as RolloutRun['status']));
  await reconcile(deps, KEY);
  t.deepEqual(lists(), ['get ConfigMap prompts'], 'but before it goes on');
});

test('a finished run that is kept for years is looked at each hour: no timer waits so long', async (t) => {
  const { deps, show } = stage();
  const status = { completionTime: new Date().toISOString(), conditions: [{ type: 'Complete', status: 'True' }] };
  show(runOf({ ttlSecondsAfterFinished: 315_360_000 }, status as unknown as RolloutRun['status']));
  t.deepEqual(await reconcile(deps, KEY), { kind: 'again', afterMs: 3_600_000 });
});

test('in a namespace that is being deleted the coordinator is taken away, and its workers have seconds left', async (t) => {
  const { cluster, deps, caches, show } = stage();
  const run = runOf();
  show(run);
  cluster.put(kinds.CONFIG_MAP, { metadata: { name: 'prompts', namespace: 'team' }, data: { 'items.jsonl': '{}' } });
  const service = { metadata: { ...metadataOf(run.metadata.uid), name: 'answers-coordinator' } };
  cluster.put(kinds.SERVICE, service);
  caches.services.store.put(service);
  const told: string[] = [];
  const refuse = async (): Promise<never> => {
    throw new ApiError(403, 'forbidden', { reason: 'Forbidden', causes: ['NamespaceTerminating'] });
  };
  Object.assign(cluster, { apply: refuse, create: refuse });
  const outcome = await reconcile({ ...deps, recorder: { record: ({ reason }) => void told.push(reason) } }, KEY);
  t.deepEqual(outcome, { kind: 'done' });
  t.deepEqual(cluster.writes, ['delete Service answers-coordinator']);
  t.deepEqual(told, [], 'nobody is told of it');
});

test('a run makes nothing beside what an earlier one of its name has left', async (t) => {
  const { cluster, deps, caches, show } = stage();
  show(runOf());
  cluster.put(kinds.CONFIG_MAP, { metadata: { name: 'prompts', namespace: 'team' }, data: { 'items.jsonl': '{}' } });
  const former = { metadata: { ...metadataOf(OTHER_UID), name: 'answers-coordinator' } };
  caches.deployments.store.put(former);
  t.deepEqual(await reconcile(deps, KEY), { kind: 'again', afterMs: 2_000 });
  t.deepEqual(cluster.writes, []);
  caches.deployments.store.remove(former);
  await reconcile(deps, KEY);
  t.true(cluster.writes.length > 0);
});

test('another run is no child, whatever its name', async (t) => {
  const { cluster, deps, show } = stage();
  show(runOf());
  for (const part of ['coordinator', 'state', 'config']) {
    const other = runOf();
    show({ ...other, metadata: { ...other.metadata, name: `answers-${part}`, uid: OTHER_UID } });
  }
  cluster.put(kinds.CONFIG_MAP, { metadata: { name: 'prompts', namespace: 'team' }, data: { 'items.jsonl': '{}' } });
  await reconcile(deps, KEY);
  t.true(cluster.writes.length > 0);
});

test('a list is looked for in mid-run while no coordinator answers, or it is missing; the run goes on with its copy', async (t) => {
  const { cluster, deps, caches, show } = stage();
  const status = { coordinator: { pod: 'answers-coordinator-1', address: '10.0.0.1:50051', epoch: 3 } };
  const run = runOf({}, status);
  show(run);
  caches.deployments.store.put({ metadata: { ...metadataOf(run.metadata.uid), name: 'answers-coordinator' } });
  const pair = { 'tls.crt': 'QQ==', 'tls.key': 'QQ==', 'ca.crt': 'QQ==' };
  caches.secrets.store.put({ metadata: { ...metadataOf(run.metadata.uid), name: 'answers-client-tls' }, data: pair });
  let written: RolloutRun['status'];
  const statuses = {
    forget: () => undefined,
    latest: () => runOf({}, written ?? run.status),
    write: async (_run: object, now: typeof written) => {
      written = now;
    },
  };
  const look = async (answer: CoordinatorAnswer | null): Promise<string> => {
    cluster.reads.length = 0;
    const clients = { forget: () => undefined, tellWords: async () => undefined, ask: async () => answer } as unknown as RunClients;
    await reconcile({ ...deps, clients, statuses } as unknown as ReconcileDeps, KEY);
    const { reason, message } = written?.conditions?.find(({ type }) => type === 'InputReady') ?? {};
    return `${cluster.reads.filter((read) => read === 'get ConfigMap prompts').length} ${reason}: ${message}`;
  };
  t.is(await look(null), '1 InputNotFound: there is no ConfigMap prompts in team: the run goes on with its copy');
  t.is(
    await look(answerOf({}, deps.clock.wallMs())),
    '1 InputNotFound: there is no ConfigMap prompts in team: the run goes on with its copy',
  );
  cluster.put(kinds.CONFIG_MAP, { metadata: { name: 'prompts', namespace: 'team' }, data: { 'items.jsonl': '{}' } });
  t.is(await look(answerOf({}, deps.clock.wallMs())), '1 InputFound: the list is there');
  t.is(await look(answerOf({}, deps.clock.wallMs())), '0 InputFound: the list is there');
  t.is(await look(null), '1 InputFound: the list is there');
});
