import type { Clock } from '../../runtime/base/clock.ts';
import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Secret } from '../kube/kind.ts';
import { controllerOf, keyOf } from '../kube/object.ts';
import { believedSignals } from './believed-signals.ts';
import { type Caches, COORDINATORS, childInformers, WORKERS } from './caches.ts';
import type { CertManager } from './cert-manager.ts';
import { childKey, coordinatorName, redisRecordName } from './children.ts';
import { hasEnded } from './clocks.ts';
import { type CoordinatorAnswer, type CoordinatorView, coordinatorView, freshAnswer, isOlder } from './coordinator-view.ts';
import { PORT } from './desired/pod-places.ts';
import { waitsForOperator } from './former-records.ts';
import { inTheWay } from './in-the-way.ts';
import { lookForInput } from './input.ts';
import type { NodeSignals } from './node-signals.ts';
import type { Observed } from './observed.ts';
import type { RedisSecrets } from './redis-secrets.ts';
import type { RunClients } from './run-clients.ts';
import { runIdOf } from './run-id.ts';
import { hasCertificates, operatorPem, runSecrets } from './run-secrets.ts';
import { workerView } from './worker-view.ts';

export interface ObserveDeps {
  readonly client: KubeClient;
  readonly clients: RunClients;
  readonly redisSecrets: RedisSecrets;
  readonly certManager: CertManager;
  readonly signals: NodeSignals;
  readonly watchesNodes: boolean;
  readonly clock: Clock;
}

/** What there is of a run, in the caches and outside. */
export async function observe(deps: ObserveDeps, caches: Caches, run: RolloutRun): Promise<Observed> {
  const { clock, signals } = deps;
  const pods = [...caches.pods.store.ownedBy(run.metadata.uid)];
  const workers = pods.map(workerView).filter((view) => view !== null);
  const coordinators = coordinatorsOf(caches, run);
  const secrets = runSecrets(caches.secrets.store, run);
  const deployment = caches.deployments.store.get(childKey(run, coordinatorName(run.metadata.name)));
  const hasDeployment = deployment !== undefined && controllerOf(deployment)?.uid === run.metadata.uid;
  const isOver = isSettled(run);
  const keyRecord = caches.configMaps.store.get(childKey(run, redisRecordName(run))) ?? null;
  // Of one that has keys on a server its Secret is remembered, in case that goes with the namespace.
  const redis = isOver && !waitsForOperator(keyRecord) ? null : await deps.redisSecrets.find(run);
  const issued = isOver ? null : await deps.certManager.find(run, secrets);
  const askedAtMs = clock.wallMs();
  const answer = isOver ? null : await ask(deps, run, secrets, coordinators);
  const isAnswered = answer !== null && answer.atMs >= askedAtMs;
  const nowMs = clock.wallMs();
  return {
    watchesNodes: deps.watchesNodes,
    run,
    input: isOver ? { kind: 'unseen' } : await lookForInput(deps.client, run, hasDeployment, isAnswered),
    redis,
    keyRecord,
    issued,
    hasCertificates: hasCertificates(run, secrets, issued, nowMs),
    hasDeployment,
    inTheWay: hasDeployment || isOver ? [] : inTheWay(run, childInformers(caches), caches.pods.store.by(WORKERS, keyOf(run)), nowMs),
    coordinators,
    workers,
    answer,
    signals: believedSignals(signals.now(), workers, freshAnswer(answer, nowMs)),
    nowMs,
  };
}

function isSettled({ metadata, status }: RolloutRun): boolean {
  return hasEnded(status) || metadata.deletionTimestamp !== undefined;
}

function coordinatorsOf(caches: Caches, run: RolloutRun): readonly CoordinatorView[] {
  return [...caches.pods.store.by(COORDINATORS, keyOf(run))].filter((pod) => !isOlder(pod, run)).map(coordinatorView);
}

async function ask(
  { clients }: ObserveDeps,
  run: RolloutRun,
  secrets: ReadonlyMap<string, Secret>,
  coordinators: readonly CoordinatorView[],
): Promise<CoordinatorAnswer | null> {
  const { uid } = run.metadata;
  const pem = operatorPem(run, secrets);
  if (pem === null) return null;
  const pods = coordinators.flatMap(({ name, podIp }) => (podIp === null ? [] : [{ name, address: `${podIp}:${PORT}` }]));
  return clients.ask({ uid, runId: runIdOf(uid), pem, pods });
}
