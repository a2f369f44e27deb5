import type { Clock } from '../runtime/base/clock.ts';
import { EXIT, type ExitCode } from '../runtime/base/exit.ts';
import type { Log } from '../runtime/base/log.ts';
import type { Random } from '../runtime/base/random.ts';
import { GROUP } from './api/names.ts';
import { follow } from './follow.ts';
import { apiErrorOf } from './kube/api-error.ts';
import { createClient, type KubeClient } from './kube/client.ts';
import { Controller } from './kube/controller.ts';
import type { Credentials } from './kube/credentials.ts';
import { type Leading, lead } from './kube/elector.ts';
import { type Endpoint, startEndpoint } from './kube/endpoint.ts';
import { cachesCheck, manage } from './kube/manager.ts';
import { type CoreMetrics, createMetrics } from './kube/metrics.ts';
import { probePages } from './kube/probes.ts';
import { DEFAULT_RATE_LIMITS } from './kube/rate-limit.ts';
import { createRecorder } from './kube/recorder.ts';
import { createTransport, type Transport } from './kube/transport.ts';
import { WorkQueue } from './kube/workqueue.ts';
import { RunMetrics } from './metrics/run-metrics.ts';
import { podSettingsOf } from './pod-settings.ts';
import { retireKeys } from './retire-keys.ts';
import { type Caches, createCaches, createNodeCache, type InformerParts, informersOf } from './rollout/caches.ts';
import { CertManager } from './rollout/cert-manager.ts';
import type { PodSettings } from './rollout/desired/pod-settings.ts';
import { NodeSignals } from './rollout/node-signals.ts';
import { reconcile } from './rollout/reconcile.ts';
import { RedisRetirements } from './rollout/redis-retirements.ts';
import { RedisSecrets } from './rollout/redis-secrets.ts';
import { RunClients } from './rollout/run-clients.ts';
import { StatusWriter } from './rollout/status-writer.ts';
import { serveMetrics } from './serve-metrics.ts';
import type { OperatorSettings } from './settings.ts';

export interface OperateOptions {
  readonly settings: OperatorSettings;
  readonly credentials: Credentials;
  /** Of this program. */
  readonly version: string;
  /** The pod that this process is in. */
  readonly self: { readonly name: string; readonly namespace: string };
  /** What is in the file that the settings name; null where they name none. */
  readonly extraCa: string | null;
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const NAME = 'rollout-operator';
const CONTROLLER = 'rolloutrun';
/** Of one look at a run: a few calls of the API server, and one of its coordinator. */
const RECONCILE_MS = 60_000;
/** The key of caches that have all namespaces. */
const EVERYWHERE = '';

/** Joins the parts of the operator, and runs them until it is told to end, or another one leads. */
export async function operate(options: OperateOptions): Promise<ExitCode> {
  const { settings, credentials, self, stop, clock, random, log } = options;
  const metrics = createMetrics('rollout');
  const transport = createTransport({
    credentials,
    clock,
    userAgent: NAME,
    onAnswered: metrics.answered(new URL(credentials.server).host),
  });
  const client = createClient(transport);
  const parts = (kind: string): InformerParts => ({ transport, clock, random, log, observer: metrics.reflector(kind) });
  const caches = cachesOf(settings, parts);
  const nodes = settings.watchNodes ? createNodeCache(parts) : null;
  const queue = new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer: metrics.queue(CONTROLLER) });
  metrics.showQueue(CONTROLLER, queue);
  const signals = new NodeSignals(settings.signals, clock);
  const clients = new RunClients(clock);
  const recorder = createRecorder({ client, controller: `${GROUP}/operator`, instance: self.name, clock, random, log });
  const redisSecrets = new RedisSecrets(client, clock);
  const deps = {
    watchesNodes: settings.watchNodes,
    client,
    statuses: new StatusWriter(client, recorder, clock),
    cachesOf: (namespace: string) => caches.get(EVERYWHERE) ?? caches.get(namespace),
    recorder,
    clients,
    redisSecrets,
    retirements: new RedisRetirements({ client, secrets: redisSecrets, retire: retireKeys, clock, log }),
    signals,
    certManager: new CertManager(client, clock, settings.certManager),
    observer: new RunMetrics(metrics.registry, options.version),
    clock,
    random,
    lookedAt: new Map<string, string>(),
  };
  let pods: PodSettings | null = null;
  const controller = new Controller({
    name: CONTROLLER,
    queue,
    reconcile: async (key) => {
      pods ??= podSettingsOf(settings, { namespace: self.namespace, isOpenShift: await isOpenShift(transport), extraCa: options.extraCa });
      return reconcile({ ...deps, pods }, key);
    },
    workers: settings.runsAtOnce,
    deadlineMs: RECONCILE_MS,
    clock,
    log,
    observer: metrics.controller(CONTROLLER, settings.runsAtOnce),
  });
  follow([...caches.values()], nodes, signals, queue);
  const informers = [...[...caches.values()].flatMap(informersOf), ...(nodes === null ? [] : [nodes])];
  const end = await manage(
    {
      endpoints: endpointsOf(options, client, informers, metrics),
      caches: informers,
      lead: settings.leaderElection.enabled ? async (signal) => leading(options, client, metrics, signal) : null,
      controllers: [controller],
      recorder,
      disconnect: () => {
        clients.close();
        transport.close();
      },
      clock,
      log,
    },
    stop,
  );
  return end === 'stopped' ? EXIT.done : EXIT.notReachable;
}

function cachesOf({ watchNamespaces }: OperatorSettings, parts: (kind: string) => InformerParts): ReadonlyMap<string, Caches> {
  if (watchNamespaces.length === 0) return new Map([[EVERYWHERE, createCaches(parts, null)]]);
  return new Map(watchNamespaces.map((namespace) => [namespace, createCaches(parts, namespace)]));
}

function endpointsOf(
  options: OperateOptions,
  client: KubeClient,
  informers: Parameters<typeof cachesCheck>[0],
  metrics: CoreMetrics,
): readonly (() => Promise<Endpoint>)[] {
  const { settings, self, clock, random, log } = options;
  const probes = probePages({ alive: {}, ready: { caches: cachesCheck(informers) } });
  return [
    async () => startEndpoint({ host: '', port: settings.probes.port }, probes, log),
    async () =>
      serveMetrics({ settings: settings.metrics, client, hosts: [self.name, 'localhost'], clock, random, log }, () => metrics.page()),
  ];
}

async function leading(options: OperateOptions, client: KubeClient, metrics: CoreMetrics, stop: AbortSignal): Promise<Leading | null> {
  const { settings, self, clock, random, log } = options;
  const { lease, leaseDuration, renewDeadline, retryPeriod } = settings.leaderElection;
  return lead(
    {
      client,
      namespace: self.namespace,
      name: lease,
      terms: {
        identity: `${self.name}_${random.hex(IDENTITY_BYTES)}`,
        leaseMs: leaseDuration,
        renewDeadlineMs: renewDeadline,
        retryMs: retryPeriod,
      },
      clock,
      random,
      log,
      observer: metrics.elector(lease),
    },
    stop,
  );
}

/** A container that is started again in the same pod is another process. */
const IDENTITY_BYTES = 4;

const OPENSHIFT = '/apis/security.openshift.io';

/** Such a cluster gives each namespace a group of its own, and refuses others. A server that cannot say it now is asked again. */
async function isOpenShift(transport: Transport): Promise<boolean> {
  const { status, headers, body } = await transport.call({ method: 'GET', path: OPENSHIFT });
  if (status !== 200 && status !== 404) throw apiErrorOf(`GET ${OPENSHIFT}`, status, headers, body);
  return status === 200;
}
