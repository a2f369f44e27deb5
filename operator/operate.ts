import { aborted } from '../runtime/base/abort.ts';
import type { Clock } from '../runtime/base/clock.ts';
import { EXIT, type ExitCode } from '../runtime/base/exit.ts';
import type { Log } from '../runtime/base/log.ts';
import type { Random } from '../runtime/base/random.ts';
import { ROLLOUT_RUN } from './api/run.ts';
import { createClient } from './kube/client.ts';
import { Controller } from './kube/controller.ts';
import type { Credentials } from './kube/credentials.ts';
import { controllerKeys, enqueuedBy, type KeysOf } from './kube/enqueue.ts';
import type { Informer } from './kube/informer.ts';
import { keyOf, type KubeObject } from './kube/object.ts';
import { DEFAULT_RATE_LIMITS } from './kube/rate-limit.ts';
import { createTransport } from './kube/transport.ts';
import { WorkQueue } from './kube/workqueue.ts';
import { allOf, type Caches, coordinatorsRun, createCaches, ON_NODE } from './rollout/caches.ts';
import { NodeSignals } from './rollout/node-signals.ts';
import { reconcile } from './rollout/reconcile.ts';
import { RunClients } from './rollout/run-clients.ts';
import type { OperatorSettings } from './settings.ts';

export interface OperateOptions {
  readonly settings: OperatorSettings;
  readonly credentials: Credentials;
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const USER_AGENT = 'rollout-operator';
/** Runs that are worked on at a time: each waits for its coordinator most of the time. */
const WORKERS = 8;
const RECONCILE_MS = 60_000;
const STOP_MS = 30_000;

/** Joins the parts of the operator, and runs them until it is told to end. */
export async function operate({ settings, credentials, stop, clock, random, log }: OperateOptions): Promise<ExitCode> {
  const transport = createTransport({ credentials, clock, userAgent: USER_AGENT });
  const silent = { onList: () => undefined, onRestart: () => undefined, onSkipped: () => undefined };
  const caches = createCaches(() => ({ transport, clock, random, log, observer: silent }), settings.namespace, settings.seesNodes);
  const queue = new WorkQueue({
    clock,
    limits: DEFAULT_RATE_LIMITS,
    observer: { onAdd: () => undefined, onTake: () => undefined, onDone: () => undefined, onRetry: () => undefined },
  });
  const signals = new NodeSignals(settings.signals, clock);
  const clients = new RunClients(clock);
  const deps = { client: createClient(transport), caches, clients, signals, pods: settings.pods, clock, random, log };
  const controller = new Controller({
    name: 'rolloutrun',
    queue,
    reconcile: async (key) => reconcile(deps, key),
    workers: WORKERS,
    deadlineMs: RECONCILE_MS,
    clock,
    log,
    observer: { onStart: () => undefined, onEnd: () => undefined, onPanic: () => undefined, onTimeout: () => undefined },
  });
  follow(caches, signals, queue);
  const informers = allOf(caches);
  for (const informer of informers) informer.start();
  await Promise.race([Promise.all(informers.map(async (informer) => informer.synced(RECONCILE_MS))), aborted(stop)]);
  log.info({ runs: caches.runs.store.size }, 'the caches have synced');
  controller.start();
  await aborted(stop);
  await controller.stop(STOP_MS);
  await Promise.all(informers.map(async (informer) => informer.stop()));
  clients.close();
  transport.close();
  return EXIT.done;
}

/** Which runs have to be looked at when something changes. */
function follow(caches: Caches, signals: NodeSignals, queue: WorkQueue): void {
  const ofOwner = controllerKeys(ROLLOUT_RUN);
  const enqueue = <T extends KubeObject>(informer: Informer<T>, keysOf: KeysOf<T>): void => {
    informer.addHandler((change) => {
      const { keys, priority } = enqueuedBy(change, keysOf);
      for (const key of keys) queue.add(key, priority);
    });
  };
  enqueue(caches.runs, (run) => [keyOf(run)]);
  enqueue(caches.pods, (pod) => [...ofOwner(pod), ...coordinatorsRun(pod)]);
  for (const informer of [caches.deployments, caches.configMaps, caches.secrets, caches.services, caches.claims] as readonly Informer<never>[])
    enqueue(informer, ofOwner);
  caches.nodes?.addHandler((change) => {
    if (signals.onChange(change)) for (const key of runsOn(caches, change.object.metadata.name)) queue.add(key);
  });
}

function runsOn({ pods }: Caches, node: string): readonly string[] {
  return [...pods.store.by(ON_NODE, node)].flatMap((pod) => [...controllerKeys(ROLLOUT_RUN)(pod), ...coordinatorsRun(pod)]);
}
