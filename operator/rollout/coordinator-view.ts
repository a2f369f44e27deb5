import type { RunStatus } from '../../runtime/model/status.ts';
import type { ContainerStatus, Pod } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import { COORDINATOR_CONTAINER } from './desired/coordinator.ts';
import { INPUT_CONTAINER } from './desired/coordinator-volumes.ts';

/** What a run's coordinator has answered last. */
export interface CoordinatorAnswer {
  readonly status: RunStatus;
  /** Name of the pod that answered. */
  readonly pod: string;
  readonly address: string;
  /** Wall clock. */
  readonly atMs: number;
  /** Items recorded in a second, of late; null before there are two answers. */
  readonly perSecond: number | null;
}

/** An answer that is older says nothing about now. */
const ANSWER_GOOD_MS = 10_000;

/** Null where the coordinator does not answer now. */
export function freshAnswer(answer: CoordinatorAnswer | null, nowMs: number): CoordinatorAnswer | null {
  return answer !== null && nowMs - answer.atMs <= ANSWER_GOOD_MS ? answer : null;
}

/** How a container of the coordinator's pod ended last. */
export interface ContainerEnd {
  readonly container: 'input' | 'coordinator';
  readonly exitCode: number;
  /** Its last words. */
  readonly message: string;
}

/** A coordinator's pod, as far as plans go by it. */
export interface CoordinatorView {
  readonly name: string;
  readonly uid: string;
  readonly podIp: string | null;
  readonly node: string | null;
  readonly isTerminating: boolean;
  /** Of the containers that do not run now; the last one first. */
  readonly ends: readonly ContainerEnd[];
  /** Why it does not run, for people; null where nothing is wrong. */
  readonly waits: string | null;
}

/** Whether the pod is one of an earlier run of the same name. Its Deployment is gone with that run, so only the age of the pod tells. */
export function isOlder(pod: Pod, run: KubeObject): boolean {
  return Date.parse(pod.metadata.creationTimestamp ?? '') < Date.parse(run.metadata.creationTimestamp ?? '');
}

export function coordinatorView({ metadata, spec, status }: Pod): CoordinatorView {
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    podIp: status?.podIP ?? null,
    node: spec?.nodeName ?? null,
    isTerminating: metadata.deletionTimestamp !== undefined,
    ends: [...endsOf(status?.containerStatuses), ...endsOf(status?.initContainerStatuses)],
    waits: unscheduled?.message ?? null,
  };
}

const ENDS: Readonly<Record<string, ContainerEnd['container']>> = { [COORDINATOR_CONTAINER]: 'coordinator', [INPUT_CONTAINER]: 'input' };

function endsOf(statuses: readonly ContainerStatus[] = []): readonly ContainerEnd[] {
  return statuses.flatMap(({ name, state, lastState }) => {
    const container = ENDS[name];
    const ended = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined);
    if (container === undefined || ended === undefined) return [];
    return [{ container, exitCode: ended.exitCode, message: lastWords(ended.message ?? ended.reason ?? '') }];
  });
}

/** Before the words of each process; the container's name says the same. */
const WHO_SPEAKS = /^rollout(?:-\w+)?: /;

/**
 * What people are told of a container's last words, in one line: what its process says of its end, or the last line. Of a log of JSON lines
 * it is the reason, or the message where it has none.
 */
export function lastWords(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((one) => one.trim());
  const from = lines.findLastIndex((one) => WHO_SPEAKS.test(one));
  const line = lines.slice(from).join(' ').replace(WHO_SPEAKS, '');
  try {
    const { msg, reason } = JSON.parse(line) as { readonly msg?: unknown; readonly reason?: unknown };
    return [reason, msg].find((part) => typeof part === 'string') ?? line;
  } catch {
    return line;
  }
}
