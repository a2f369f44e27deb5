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
import type { Informer } from './kube/informer.ts';
import type { Node } from './kube/kind.ts';
import { cachesCheck, manage } from './kube/manager.ts';
import { type CoreMetrics, createMetrics } from './kube/metrics.ts';
import type { KubeObject } from './kube/object.ts';
import type { Outcome } from './kube/outcome.ts';
import { probePages } from './kube/probes.ts';
import { DEFAULT_RATE_LIMITS } from './kube/rate-limit.ts';
import { createRecorder, type Recorder } from './kube/recorder.ts';
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

/** How the API server is reached, and what is told of it. */
interface Core {
  readonly metrics: CoreMetrics;
  readonly transport: Transport;
  readonly client: KubeClient;
  readonly recorder: Recorder;
}

/** What is followed: the caches of each namespace that the operator works in, and the nodes, where it may watch them. */
interface Watched {
  readonly caches: ReadonlyMap<string, Caches>;
  readonly nodes: Informer<Node> | null;
  readonly informers: readonly Informer<KubeObject>[];
}

/** What is known of runs and nodes beside the caches. */
interface Known {
  readonly signals: NodeSignals;
  readonly clients: RunClients;
}

/** Joins the parts of the operator, and runs them until it is told to end, or another one leads. */
export async function operate(options: OperateOptions): Promise<ExitCode> {
  const { settings, clock, log, stop } = options;
  const core = coreOf(options);
  const watched = watchedOf(options, core);
  const known = { signals: new NodeSignals(settings.signals, clock), clients: new RunClients(clock) };
  const queue = new WorkQueue({ clock, limits: DEFAULT_RATE_LIMITS, observer: core.metrics.queue(CONTROLLER) });
  core.metrics.showQueue(CONTROLLER, queue);
  follow([...watched.caches.values()], watched.nodes, known.signals, queue);
  const end = await manage(
    {
      endpoints: endpointsOf(options, core, watched),
      caches: watched.informers,
      lead: settings.leaderElection.enabled ? async (signal) => leading(options, core, signal) : null,
      controllers: [controllerOf(options, core, queue, looking(options, core, watched, known))],
      recorder: core.recorder,
      disconnect: () => {
        known.clients.close();
        core.transport.close();
      },
      clock,
      log,
    },
    stop,
  );
  return end === 'stopped' ? EXIT.done : EXIT.notReachable;
}

function coreOf({ credentials, self, clock, random, log }: OperateOptions): Core {
  const metrics = createMetrics('rollout');
  const onAnswered = metrics.answered(new URL(credentials.server).host);
  const transport = createTransport({ credentials, clock, userAgent: NAME, onAnswered });
  const client = createClient(transport);
  const recorder = createRecorder({ client, controller: `${GROUP}/operator`, instance: self.name, clock, random, log });
  return { metrics, transport, client, recorder };
}

function watchedOf({ settings, clock, random, log }: OperateOptions, { metrics, transport }: Core): Watched {
  const parts = (kind: string): InformerParts => ({ transport, clock, random, log, observer: metrics.reflector(kind) });
  const caches = cachesOf(settings, parts);
  const nodes = settings.watchNodes ? createNodeCache(parts) : null;
  return { caches, nodes, informers: [...[...caches.values()].flatMap(informersOf), ...(nodes === null ? [] : [nodes])] };
}

type Look = (key: string) => Promise<Outcome>;

function controllerOf({ settings, clock, log }: OperateOptions, { metrics }: Core, queue: WorkQueue, look: Look): Controller {
  const { runsAtOnce } = settings;
  const observer = metrics.controller(CONTROLLER, runsAtOnce);
  return new Controller({ name: CONTROLLER, queue, reconcile: look, workers: runsAtOnce, deadlineMs: RECONCILE_MS, clock, log, observer });
}

/** One look at a run. How its pods are made is known when the API server has said what kind of cluster it is. */
function looking(options: OperateOptions, core: Core, { caches }: Watched, known: Known): Look {
  const { settings, clock, random, log, version } = options;
  const { client, recorder, metrics } = core;
  const redisSecrets = new RedisSecrets(client, clock);
  const deps = {
    ...known,
    client,
    recorder,
    clock,
    random,
    log,
    watchesNodes: settings.watchNodes,
    statuses: new StatusWriter(client, recorder, clock),
    cachesOf: (namespace: string) => caches.get(EVERYWHERE) ?? caches.get(namespace),
    redisSecrets,
    retirements: new RedisRetirements({ client, secrets: redisSecrets, retire: retireKeys, clock, log }),
    certManager: new CertManager(client, clock, settings.certManager),
    observer: new RunMetrics(metrics.registry, version),
    lookedAt: new Map<string, string>(),
  };
  let pods: PodSettings | null = null;
  return async (key) => {
    pods ??= await podsOf(options, core.transport);
    return reconcile({ ...deps, pods }, key);
  };
}

async function podsOf({ settings, self, extraCa }: OperateOptions, transport: Transport): Promise<PodSettings> {
  return podSettingsOf(settings, { namespace: self.namespace, isOpenShift: await isOpenShift(transport), extraCa });
}

function cachesOf({ watchNamespaces }: OperatorSettings, parts: (kind: string) => InformerParts): ReadonlyMap<string, Caches> {
  if (watchNamespaces.length === 0) return new Map([[EVERYWHERE, createCaches(parts, null)]]);
  return new Map(watchNamespaces.map((namespace) => [namespace, createCaches(parts, namespace)]));
}

function endpointsOf(options: OperateOptions, { client, metrics }: Core, { informers }: Watched): readonly (() => Promise<Endpoint>)[] {
  const { settings, self, clock, random, log } = options;
  const probes = probePages({ alive: {}, ready: { caches: cachesCheck(informers) } });
  return [
    async () => startEndpoint({ host: '', port: settings.probes.port }, probes, log),
    async () =>
      serveMetrics({ settings: settings.metrics, client, hosts: [self.name, 'localhost'], clock, random, log }, () => metrics.page()),
  ];
}

async function leading(options: OperateOptions, { client, metrics }: Core, stop: AbortSignal): Promise<Leading | null> {
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
