import { aborted } from '../runtime/base/abort.ts';
import type { Clock } from '../runtime/base/clock.ts';
import { EXIT, type ExitCode } from '../runtime/base/exit.ts';
import type { Log } from '../runtime/base/log.ts';
import type { Random } from '../runtime/base/random.ts';
import { follow } from './follow.ts';
import { createClient } from './kube/client.ts';
import { Controller } from './kube/controller.ts';
import type { Credentials } from './kube/credentials.ts';
import { DEFAULT_RATE_LIMITS } from './kube/rate-limit.ts';
import { createTransport, type Transport } from './kube/transport.ts';
import { WorkQueue } from './kube/workqueue.ts';
import { podSettingsOf } from './pod-settings.ts';
import { createCaches, createNodeCache, informersOf } from './rollout/caches.ts';
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
/** Of one look at a run: a few calls of the API server, and one of its coordinator. */
const RECONCILE_MS = 60_000;
const SYNC_MS = 120_000;
const STOP_MS = 30_000;
/** The key of caches that have all namespaces. */
const EVERYWHERE = '';

/** Joins the parts of the operator, and runs them until it is told to end. */
export async function operate({ settings, credentials, stop, clock, random, log }: OperateOptions): Promise<ExitCode> {
  const transport = createTransport({ credentials, clock, userAgent: USER_AGENT });
  const observer = { onList: () => undefined, onRestart: () => undefined, onSkipped: () => undefined };
  const parts = () => ({ transport, clock, random, log, observer });
  const namespaces = settings.watchNamespaces.length === 0 ? [EVERYWHERE] : settings.watchNamespaces;
  const caches = new Map(namespaces.map((name) => [name, createCaches(parts, name === EVERYWHERE ? null : name)]));
  const nodes = settings.watchNodes ? createNodeCache(parts) : null;
  const queue = new WorkQueue({
    clock,
    limits: DEFAULT_RATE_LIMITS,
    observer: { onAdd: () => undefined, onTake: () => undefined, onDone: () => undefined, onRetry: () => undefined },
  });
  const signals = new NodeSignals(settings.signals, clock);
  const clients = new RunClients(clock);
  const deps = {
    client: createClient(transport),
    cachesOf: (namespace: string) => caches.get(EVERYWHERE) ?? caches.get(namespace),
    clients,
    signals,
    pods: podSettingsOf(settings, await isOpenShift(transport)),
    clock,
    random,
    log,
  };
  const controller = new Controller({
    name: 'rolloutrun',
    queue,
    reconcile: async (key) => reconcile(deps, key),
    workers: settings.runsAtOnce,
    deadlineMs: RECONCILE_MS,
    clock,
    log,
    observer: { onStart: () => undefined, onEnd: () => undefined, onPanic: () => undefined, onTimeout: () => undefined },
  });
  follow([...caches.values()], nodes, signals, queue);
  const informers = [...[...caches.values()].flatMap(informersOf), ...(nodes === null ? [] : [nodes])];
  for (const informer of informers) informer.start();
  await Promise.race([Promise.all(informers.map(async (informer) => informer.synced(SYNC_MS))), aborted(stop)]);
  log.info({ namespaces: settings.watchNamespaces }, 'the caches have synced');
  controller.start();
  await aborted(stop);
  await controller.stop(STOP_MS);
  await Promise.all(informers.map(async (informer) => informer.stop()));
  clients.close();
  transport.close();
  return EXIT.done;
}

/** Such a cluster gives each namespace a group of its own, and refuses others. */
async function isOpenShift(transport: Transport): Promise<boolean> {
  const { status } = await transport.call({ method: 'GET', path: '/apis/security.openshift.io' });
  return status === 200;
}
