import { ROLLOUT_RUN } from './api/run.ts';
import { controllerKeys, enqueuedBy, type KeysOf } from './kube/enqueue.ts';
import type { Informer } from './kube/informer.ts';
import type { Node } from './kube/kind.ts';
import { type KubeObject, keyOf } from './kube/object.ts';
import type { WorkQueue } from './kube/workqueue.ts';
import { type Caches, coordinatorsRun, keyRecordsRun, ON_NODE } from './rollout/caches.ts';
import type { NodeSignals } from './rollout/node-signals.ts';

const runOf = controllerKeys(ROLLOUT_RUN);

/** Which runs have to be looked at when something changes. */
export function follow(all: readonly Caches[], nodes: Informer<Node> | null, signals: NodeSignals, queue: WorkQueue): void {
  for (const { runs, pods, configMaps, ...children } of all) {
    enqueue(queue, runs, (run) => [keyOf(run)]);
    enqueue(queue, pods, (pod) => [...runOf(pod), ...coordinatorsRun(pod)]);
    // The record of a run that was deleted with --cascade=orphan has no owner.
    enqueue(queue, configMaps, (map) => [...runOf(map), ...keyRecordsRun(map)]);
    for (const informer of Object.values(children)) enqueue(queue, informer, runOf);
  }
  nodes?.addHandler((change) => {
    if (!signals.onChange(change)) return;
    for (const { pods } of all)
      for (const pod of pods.store.by(ON_NODE, change.object.metadata.name))
        for (const key of [...runOf(pod), ...coordinatorsRun(pod)]) queue.add(key);
  });
}

function enqueue<T extends KubeObject>(queue: WorkQueue, informer: Informer<T>, keysOf: KeysOf<T>): void {
  informer.addHandler((change) => {
    const { keys, priority } = enqueuedBy(change, keysOf);
    for (const key of keys) queue.add(key, priority);
  });
}
