import { conditionOf, isTrue } from '../api/conditions.ts';
import { LABEL, MANAGED_BY, type Reason } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { Pod } from '../kube/kind.ts';
import { type PodTrouble, podTrouble } from './pod-trouble.ts';
import { coordinatorRemedy, OPERATOR_REMEDY, type Place, podRemedy, REASON_REMEDIES } from './remedies.ts';
import { isBehind, troublesOf, troubleText } from './trouble.ts';

/** Something that stands in a run's way, or that may be done next. */
export interface Finding {
  readonly what: string;
  /** Commands that show more, or help. */
  readonly help: readonly string[];
}

/** An operator that runs writes within seconds. */
const UNSEEN_MS = 30_000;

/** Why a run does not go on, the causes before what follows from them. Empty where nothing is seen. Pure. */
export function findingsOf(run: RolloutRun, pods: readonly Pod[], nowMs: number): readonly Finding[] {
  const { metadata, spec, status } = run;
  const place: Place = { name: metadata.name, namespace: metadata.namespace };
  const { managedBy } = spec;
  if (metadata.deletionTimestamp !== undefined) return [deletion(run)];
  if (managedBy !== undefined && managedBy !== MANAGED_BY)
    return [{ what: `spec.managedBy is ${managedBy}: another controller works on the run, and the operator leaves it alone`, help: [] }];
  if (status?.conditions === undefined) return unseen(run, nowMs);
  const conditions = troublesOf(run).map((one) => ({ what: troubleText(one), help: REASON_REMEDIES[one.reason as Reason]?.(place) ?? [] }));
  if (isTrue(status.conditions, 'Complete') || isTrue(status.conditions, 'Failed')) return [...ended(run, place), ...conditions];
  return [...wishes(run, place), ...conditions, ...podFindings(run, pods, nowMs), ...limits(run, place)];
}

function deletion({ metadata }: RolloutRun): Finding {
  const { finalizers = [], name, namespace } = metadata;
  if (finalizers.length === 0) return { what: 'it is being deleted', help: [] };
  return {
    what: `it is being deleted, and waits for ${finalizers.join(', ')}: the operator has to clean up first`,
    help: [`kubectl get events -n ${namespace} --field-selector involvedObject.name=${name}`, ...OPERATOR_REMEDY],
  };
}

function unseen({ metadata }: RolloutRun, nowMs: number): readonly Finding[] {
  const ageMs = nowMs - Date.parse(metadata.creationTimestamp ?? '');
  if (ageMs < UNSEEN_MS) return [{ what: 'the operator has not seen it yet: it was created a moment ago', help: [] }];
  return [
    {
      what: 'no operator has seen it: none runs, or it does not watch this namespace (watchNamespaces of the chart)',
      help: OPERATOR_REMEDY,
    },
  ];
}

function ended({ status }: RolloutRun, place: Place): readonly Finding[] {
  const complete = conditionOf(status?.conditions ?? [], 'Complete');
  if (complete?.status !== 'True') return [];
  return [{ what: `it is complete: ${complete.message}`, help: REASON_REMEDIES[complete.reason as Reason]?.(place) ?? [] }];
}

/** What somebody has asked for. */
function wishes(run: RolloutRun, place: Place): readonly Finding[] {
  const { spec } = run;
  const behind = isBehind(run) ? [{ what: 'the operator has not seen the last change of the run yet', help: OPERATOR_REMEDY }] : [];
  if (spec.suspend) return [...behind, { what: 'it is suspended (spec.suspend)', help: REASON_REMEDIES.Suspended(place) }];
  if (spec.workers.parallelism > 0) return behind;
  const scale = `kubectl scale rrun/${place.name} -n ${place.namespace} --replicas=1`;
  return [...behind, { what: 'it is to have no workers (spec.workers.parallelism is 0)', help: [scale] }];
}

function podFindings(run: RolloutRun, pods: readonly Pod[], nowMs: number): readonly Finding[] {
  const { name, namespace } = run.metadata;
  const troubles = pods.map((pod) => podTrouble(pod, nowMs)).filter((trouble) => trouble !== null);
  const hasCoordinator = pods.some(({ metadata }) => metadata.labels?.[LABEL.component] === 'coordinator');
  const isWaited = !run.spec.suspend && isTrue(run.status?.conditions ?? [], 'InputReady') && !hasCoordinator;
  const lone = isWaited ? [{ what: 'there is no pod of a coordinator', help: coordinatorRemedy({ name, namespace }) }] : [];
  return [...lone, ...groupsOf(troubles).map(([first, ...others]) => podFinding(first, others.length, namespace))];
}

/** Of many pods with the same trouble one is enough. */
function groupsOf(troubles: readonly PodTrouble[]): readonly (readonly [PodTrouble, ...PodTrouble[]])[] {
  const groups = new Map<string, [PodTrouble, ...PodTrouble[]]>();
  for (const trouble of troubles) {
    const key = [trouble.kind, trouble.container, trouble.why].join('\n');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [trouble]);
    else known.push(trouble);
  }
  return [...groups.values()];
}

const KINDS: Readonly<Record<PodTrouble['kind'], string>> = {
  unscheduled: 'has no node',
  image: 'has no image',
  configuration: 'cannot be started as it is described',
  ended: 'ends again and again',
  memory: 'has too little memory: raise resources.limits.memory',
  starting: 'does not start',
  refused: 'was refused or evicted by its node',
  stuck: 'does not go',
};

function podFinding(trouble: PodTrouble, others: number, namespace: string): Finding {
  const { pod, container, kind, why } = trouble;
  const which = `${pod}${others === 0 ? '' : ` and ${others} more`}${container === null ? '' : `, container ${container},`}`;
  return { what: `${which} ${KINDS[kind]}: ${why}`, help: podRemedy(trouble, namespace) };
}

/** What does not stop a run, but makes it less than it could be. */
function limits({ status }: RolloutRun, place: Place): readonly Finding[] {
  const nodes = conditionOf(status?.conditions ?? [], 'NodeSignalsAvailable');
  if (nodes?.status !== 'False') return [];
  return [{ what: `for your information: ${troubleText(nodes)}`, help: REASON_REMEDIES[nodes.reason as Reason]?.(place) ?? [] }];
}
