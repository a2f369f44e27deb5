import test from 'ava';
import { ROLLOUT_RUN } from '../../../operator/api/run.ts';
import { follow } from '../../../operator/follow.ts';
import type { Handler, Informer } from '../../../operator/kube/informer.ts';
import { CONFIG_MAP, type Kind, NODE, type Node, POD, type Pod } from '../../../operator/kube/kind.ts';
import { createMetrics } from '../../../operator/kube/metrics.ts';
import type { KubeObject } from '../../../operator/kube/object.ts';
import { DEFAULT_RATE_LIMITS } from '../../../operator/kube/rate-limit.ts';
import { type Indexes, Store } from '../../../operator/kube/store.ts';
import { WorkQueue } from '../../../operator/kube/workqueue.ts';
import { SIGNAL_ROWS } from '../../../operator/nodes/signals.ts';
import { type Caches, ON_NODE } from '../../../operator/rollout/caches.ts';
import { redisRecord } from '../../../operator/rollout/desired/redis-record.ts';
import { NodeSignals } from '../../../operator/rollout/node-signals.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { coordinatorPodOf, workerPodOf } from '../../support/operator/pods.ts';
import { REDIS } from '../../support/operator/redis-world.ts';
import { runOf } from '../../support/operator/run-world.ts';

/** A cache into which the test puts what a server would tell. */
class ToldInformer<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  readonly #handlers: Handler<T>[] = [];

  constructor(kind: Kind<T>, indexes: Indexes<T> = {}) {
    this.kind = kind;
    this.store = new Store(indexes);
  }

  addHandler(handler: Handler<T>): void {
    this.#handlers.push(handler);
  }

  put(object: T): void {
    for (const change of this.store.put(object)) for (const handler of this.#handlers) handler(change);
  }
}

const OWNER = { apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', name: 'answers', uid: 'u', controller: true };
const OWNED = { ownerReferences: [OWNER] };

function stage(isWatchingNodes = true) {
  const clock = new ManualClock();
  const queue = new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer: createMetrics('test').queue('runs') });
  const runs = new ToldInformer(ROLLOUT_RUN);
  const pods = new ToldInformer<Pod>(POD, { [ON_NODE]: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]) });
  const configMaps = new ToldInformer(CONFIG_MAP);
  const nodes = new ToldInformer<Node>(NODE);
  follow(
    [{ runs, pods, configMaps } as unknown as Caches],
    isWatchingNodes ? (nodes as unknown as Informer<Node>) : null,
    new NodeSignals(SIGNAL_ROWS, clock),
    queue,
  );
  const taken = async (): Promise<readonly string[]> => {
    const keys: string[] = [];
    while (queue.depth > 0) {
      const key = await queue.take();
      if (key === null) break;
      keys.push(key);
      queue.done(key);
    }
    return keys;
  };
  return { runs, pods, configMaps, nodes, taken };
}

const nodeOf = (name: string, resourceVersion: string, spec: object = {}): Node => ({
  metadata: { name, uid: name, resourceVersion },
  spec,
});

test('a run is looked at when it changes, and when a child of it does', async (t) => {
  const { runs, configMaps, pods, taken } = stage();
  runs.put(runOf());
  t.deepEqual(await taken(), ['team/answers']);
  configMaps.put({ metadata: { name: 'answers-config', namespace: 'team', ...OWNED } });
  t.deepEqual(await taken(), ['team/answers']);
  pods.put(workerPodOf(0, {}, OWNED));
  t.deepEqual(await taken(), ['team/answers']);
  configMaps.put({ metadata: { name: 'other', namespace: 'team' } });
  t.deepEqual(await taken(), []);
});

test('a record of Redis keys that has no owner any more is found by its labels', async (t) => {
  const { configMaps, taken } = stage();
  const record = redisRecord(runOf(), REDIS);
  configMaps.put({ ...record, metadata: { ...record.metadata, ownerReferences: [] } });
  t.deepEqual(await taken(), ['team/answers']);
});

test('the pod of a coordinator, whose owner is a ReplicaSet, is found by its labels', async (t) => {
  const { pods, taken } = stage();
  pods.put(coordinatorPodOf({}, { ownerReferences: [{ ...OWNER, kind: 'ReplicaSet', apiVersion: 'apps/v1' }] }));
  t.deepEqual(await taken(), ['team/answers']);
});

test('a signal of a node concerns the runs that have a pod there, once, and no others', async (t) => {
  const { pods, nodes, taken } = stage();
  const elsewhere = {
    ...workerPodOf(1, {}, { ownerReferences: [{ ...OWNER, name: 'others' }] }),
    spec: { nodeName: 'node-2', containers: [] },
  };
  pods.put({ ...workerPodOf(0, {}, OWNED), spec: { nodeName: 'node-1', containers: [] } });
  pods.put(elsewhere);
  nodes.put(nodeOf('node-1', '1'));
  await taken();
  nodes.put(nodeOf('node-1', '2', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] }));
  t.deepEqual(await taken(), ['team/answers']);
  nodes.put(nodeOf('node-1', '3', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }], podCIDR: '10.0.0.0/24' }));
  t.deepEqual(await taken(), [], 'what says nothing new concerns nobody');
});

test('without a right to nodes all else is followed', async (t) => {
  const { runs, nodes, taken } = stage(false);
  nodes.put(nodeOf('node-1', '1'));
  runs.put(runOf());
  t.deepEqual(await taken(), ['team/answers']);
});
