import type { V1ContainerStatus } from '@kubernetes/client-node';
import type { Pod } from '../kube/kind.ts';
import type { Wire } from '../kube/object.ts';
import { lastWords } from '../rollout/coordinator-view.ts';

/** What keeps a pod from its work. */
export interface PodTrouble {
  readonly pod: string;
  readonly kind: 'unscheduled' | 'image' | 'configuration' | 'ended' | 'memory' | 'starting' | 'refused' | 'stuck';
  /** Null where it is the pod as a whole. */
  readonly container: string | null;
  readonly why: string;
}

/** An image is pulled and a volume attached in less, mostly. */
const STARTING_MS = 120_000;
/** A pod that was deleted is gone soon after its grace period, unless its node is. */
const STUCK_MS = 60_000;

const IMAGE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
const CONFIGURATION: ReadonlySet<string> = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** Null where nothing is in its way. Pure. */
export function podTrouble(pod: Pod, nowMs: number): PodTrouble | null {
  const { name, deletionTimestamp } = pod.metadata;
  const found = deletionTimestamp === undefined ? troubleOf(pod, nowMs) : stuckness(pod, nowMs);
  return found === null ? null : { pod: name, container: null, ...found };
}

type Found = Pick<PodTrouble, 'kind' | 'why'> & Partial<Pick<PodTrouble, 'container'>>;

function stuckness({ metadata, spec }: Pod, nowMs: number): Found | null {
  const isStuck = nowMs - Date.parse(metadata.deletionTimestamp ?? '') > STUCK_MS;
  return isStuck
    ? { kind: 'stuck', why: `it was to be gone at ${metadata.deletionTimestamp}; its node is ${spec?.nodeName ?? 'unknown'}` }
    : null;
}

function troubleOf({ metadata, status }: Pod, nowMs: number): Found | null {
  const { phase, conditions, initContainerStatuses = [], containerStatuses = [], reason, message } = status ?? {};
  if (phase === 'Succeeded') return null;
  const unscheduled = conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unscheduled !== undefined) return { kind: 'unscheduled', why: unscheduled.message ?? 'no node takes it' };
  const found = [...initContainerStatuses, ...containerStatuses].map(containerTrouble).find((one) => one !== null);
  if (found !== undefined) return found;
  if (phase === 'Failed') return { kind: 'refused', why: [reason, message].filter((part) => part !== undefined).join(': ') };
  const isSlow = phase === 'Pending' && nowMs - Date.parse(metadata.creationTimestamp ?? '') > STARTING_MS;
  return isSlow ? { kind: 'starting', why: `it has been starting since ${metadata.creationTimestamp}` } : null;
}

function containerTrouble({ name, state, lastState }: Wire<V1ContainerStatus>): Found | null {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (IMAGE.has(reason)) return { kind: 'image', container: name, why: whyText(reason, message) };
  if (CONFIGURATION.has(reason)) return { kind: 'configuration', container: name, why: whyText(reason, message) };
  // One that runs again is watched by those who wait for it.
  const ended = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined);
  if (ended === undefined || ended.exitCode === 0) return null;
  if (ended.reason === 'OOMKilled') return { kind: 'memory', container: name, why: 'it used more than its limit, and was killed' };
  return { kind: 'ended', container: name, why: whyText(`it ended with ${ended.exitCode}`, lastWords(ended.message ?? '')) };
}

function whyText(reason: string, message: string): string {
  return message === '' ? reason : `${reason}: ${message}`;
}
