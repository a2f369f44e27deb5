import { LABEL, type Reason } from '../api/names.ts';
import { coordinatorName } from '../rollout/children.ts';
import { COORDINATOR_CONTAINER } from '../rollout/desired/coordinator.ts';
import { INPUT_CONTAINER } from '../rollout/desired/coordinator-volumes.ts';
import { WORKER_CONTAINER } from '../rollout/desired/worker-pod.ts';
import type { PodTrouble } from './pod-trouble.ts';

/** The run that commands are written for. */
export interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** The commands that help. */
type Remedy = (place: Place) => readonly string[];

const NONE: Remedy = () => [];
const OWN = 'kubectl rollout-run';

const logs = (component: string, container: string, more = ''): Remedy => {
  return ({ name, namespace }) => [
    `kubectl logs -n ${namespace} -l ${LABEL.run}=${name},${LABEL.component}=${component} -c ${container} --tail=20${more}`,
  ];
};
const own = (verb: string, more = ''): Remedy => {
  return ({ name, namespace }) => [`${OWN} ${verb} ${name} -n ${namespace}${more}`];
};
const all = (...remedies: readonly Remedy[]): Remedy => {
  return (place) => remedies.flatMap((remedy) => remedy(place));
};

const COORDINATOR_LOG = logs('coordinator', COORDINATOR_CONTAINER);
const COORDINATOR_PODS: Remedy = ({ name, namespace }) => [
  `kubectl describe pods -n ${namespace} -l ${LABEL.run}=${name},${LABEL.component}=coordinator`,
];
const WORKER_LOG = logs('worker', WORKER_CONTAINER);
const AGAIN = ` --from-run-file run.yaml`;
/** What a run was created with may be used for another one. */
const ANOTHER: Remedy = ({ name, namespace }) => [
  `kubectl get rrun ${name} -n ${namespace} -o yaml > run.yaml`,
  `${OWN} create ${name}-2 -n ${namespace}${AGAIN}`,
];

/** What is recorded, and a run of the lines that are left, which have `also` in the list. */
const rest = (also: string): Remedy => {
  return (place) => [
    ...own('results', ' --partial > so-far.jsonl')(place),
    ...own('results', ` --remaining${also} > left.jsonl`)(place),
    `kubectl get rrun ${place.name} -n ${place.namespace} -o yaml > run.yaml`,
    `${OWN} create ${place.name}-2 -n ${place.namespace} -f left.jsonl${AGAIN}`,
  ];
};
const REST = rest('');

/** By the reason of a condition. Reasons under which all is well need none. */
export const REASON_REMEDIES: Readonly<Record<Reason, Remedy>> = {
  InputFound: NONE,
  InputNotFound: ({ namespace }) => [`kubectl get configmaps,persistentvolumeclaims -n ${namespace}`],
  InputInvalid: all(logs('coordinator', INPUT_CONTAINER), () => [`${OWN} validate --items FILE`]),
  LeaseHeld: NONE,
  CoordinatorStarting: all(COORDINATOR_PODS, COORDINATOR_LOG),
  StoreUnavailable: all(COORDINATOR_LOG, () => ['rollout doctor --redis URL']),
  ResultsFull: ({ name, namespace }) => [
    `kubectl patch rrun ${name} -n ${namespace} --type merge -p '{"spec":{"coordinator":{"results":{"inlineLimit":"256Mi"}}}}'`,
  ],
  CertificatesIssued: NONE,
  CertificatesPending: ({ namespace }) => [`kubectl get issuers,certificates,certificaterequests -n ${namespace}`],
  CertManagerMissing: () => ['kubectl get crd certificates.cert-manager.io'],
  CertManagerDisabled: () => ['helm upgrade rollout charts/rollout -n rollout --reuse-values --set certManager.enabled=true'],
  ItemsRunning: NONE,
  // What stands in the way of the coordinator is explained by itself.
  WaitingForCoordinator: NONE,
  WaitingForWorkers: all(own('workers'), WORKER_LOG),
  Stalled: all(own('workers'), WORKER_LOG),
  Paused: all(WORKER_LOG, REST),
  EnoughWorkers: NONE,
  WorkersMissing: own('workers'),
  NoneDraining: NONE,
  WorkersDraining: own('workers'),
  Suspending: own('workers'),
  Suspended: own('resume'),
  Resumed: NONE,
  AllItemsDone: own('results', ' > answers.jsonl'),
  CompletedWithFailures: own('results', ' --errors > errors.jsonl'),
  TooManyFailedItems: all(WORKER_LOG, rest(' --failed')),
  TooManyMissingWorkers: all(own('workers'), REST),
  DeadlineExceeded: REST,
  CoordinatorFailed: all(logs('coordinator', COORDINATOR_CONTAINER, ' --previous'), ANOTHER),
  NodesWatched: NONE,
  NodesForbidden: () => ['helm upgrade rollout charts/rollout -n rollout --reuse-values --set rbac.clusterRoles=true'],
  ChildRefused: ({ name, namespace }) => [`kubectl get events -n ${namespace} --field-selector involvedObject.name=${name}`],
  // Its Event has the command, which is for the Redis server.
  RedisKeysKept: NONE,
  NotEnded: NONE,
  Ended: NONE,
};

/** By what ails a pod. */
export function podRemedy({ pod, kind, container }: PodTrouble, namespace: string): readonly string[] {
  const describe = `kubectl describe pod ${pod} -n ${namespace}`;
  switch (kind) {
    case 'unscheduled':
      return [describe, 'kubectl get nodes'];
    case 'ended':
      return [`kubectl logs ${pod} -n ${namespace} -c ${container ?? WORKER_CONTAINER} --previous`];
    case 'stuck':
      return [describe, 'kubectl get nodes'];
    case 'image':
    case 'configuration':
    case 'memory':
    case 'starting':
    case 'refused':
      return [describe];
  }
}

/** Where a run has no status at all. */
export const OPERATOR_REMEDY: readonly string[] = [
  'kubectl get deployments -A -l app.kubernetes.io/part-of=rollout,app.kubernetes.io/component=operator',
  'kubectl logs -n rollout deployment/rollout-operator --tail=20',
];

/** The Deployment that makes the coordinator's pods, where there are none. */
export function coordinatorRemedy({ name, namespace }: Place): readonly string[] {
  return [`kubectl describe deployment ${coordinatorName(name)} -n ${namespace}`];
}
