import { ANNOTATION, LABEL } from '../api/names.ts';
import type { ContainerStatus, Pod } from '../kube/kind.ts';
import { WORKER_CONTAINER, type WorkerPlace } from './desired/worker-pod.ts';
import { type PodNotice, podNotice } from './pod-notice.ts';
import { hasShortGrace } from './short-grace.ts';

/** A worker's pod, as far as plans go by it. */
export interface WorkerView extends WorkerPlace {
  readonly name: string;
  readonly uid: string;
  /** Digest of the template that it was made from. */
  readonly template: string;
  /** Null before it is scheduled. */
  readonly node: string | null;
  /** Nodes that it may not be scheduled to. */
  readonly avoids: readonly string[];
  readonly phase: 'waiting' | 'running' | 'succeeded' | 'failed';
  /** Somebody has deleted it. */
  readonly isTerminating: boolean;
  /** It is ending, and has seconds for it. */
  readonly hasShortGrace: boolean;
  /** Null for one that is to stay. */
  readonly notice: PodNotice | null;
  /** It failed before the worker ran: refused by its node, or evicted while it was starting. */
  readonly hasNeverRun: boolean;
  readonly createdAtMs: number;
  /** Why a container does not run, for people; null where nothing is wrong. */
  readonly trouble: string | null;
}

/** Null for a pod that carries no place. */
export function workerView(pod: Pod): WorkerView | null {
  const { metadata, spec, status } = pod;
  const slot = numberIn(metadata.labels?.[LABEL.slot]);
  const incarnation = numberIn(metadata.labels?.[LABEL.incarnation]);
  if (metadata.uid === undefined || slot === null || incarnation === null) return null;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const worker = status?.containerStatuses?.find(({ name }) => name === WORKER_CONTAINER);
  return {
    name: metadata.name,
    uid: metadata.uid,
    slot,
    incarnation,
    template: metadata.labels?.[LABEL.template] ?? '',
    node: spec?.nodeName ?? null,
    avoids: metadata.annotations?.[ANNOTATION.avoids]?.split(',') ?? [],
    phase: phaseOf(status?.phase),
    isTerminating: metadata.deletionTimestamp !== undefined,
    hasShortGrace: hasShortGrace(pod),
    notice: podNotice(pod),
    hasNeverRun:
      worker?.state?.running === undefined && worker?.lastState?.terminated === undefined && worker?.state?.terminated === undefined,
    createdAtMs: Date.parse(metadata.creationTimestamp ?? ''),
    trouble: containers.map(troubleOf).find((trouble) => trouble !== null) ?? null,
  };
}

function phaseOf(phase: string | undefined): WorkerView['phase'] {
  switch (phase) {
    case 'Succeeded':
      return 'succeeded';
    case 'Failed':
      return 'failed';
    case 'Running':
      return 'running';
    default:
      return 'waiting';
  }
}

/** A container that waits for its turn, or is being made, is in no trouble. */
const USUAL = new Set(['PodInitializing', 'ContainerCreating']);

function troubleOf({ name, state, lastState }: ContainerStatus): string | null {
  const waiting = state?.waiting;
  if (waiting?.reason === undefined || USUAL.has(waiting.reason)) return null;
  const last = lastState?.terminated?.message ?? waiting.message ?? '';
  return `container ${name}: ${waiting.reason}${last === '' ? '' : `: ${last.trim().split('\n').at(-1) ?? ''}`}`;
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
