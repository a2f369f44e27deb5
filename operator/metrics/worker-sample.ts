import type { WorkerStatus } from '../../runtime/model/status.ts';
import type { Signal } from '../nodes/signals.ts';
import type { WorkerView } from '../rollout/worker-view.ts';

/** What the metrics keep of a worker between two looks. */
export interface WorkerSample {
  readonly slot: number;
  readonly incarnation: number;
  /** Null once its pod is over, or its node gone. */
  readonly state: WorkerWord | null;
  /** What a successor would be there for, as far as it is known now. */
  readonly cause: Replacement | null;
  /** Whether somebody has deleted it: then it is expected to be gone soon. */
  readonly isTerminating: boolean;
  /** Null while it is not on its way out, and when the end of that has been counted. */
  readonly drain: Drain | null;
}

export interface Drain {
  /** Wall clock. */
  readonly sinceMs: number;
  readonly provider: DrainProvider;
}

export const WORKER_WORDS = ['starting', 'ready', 'not-ready', 'draining', 'suspected'] as const;
export type WorkerWord = (typeof WORKER_WORDS)[number];

/** `other`: a signal that belongs to no provider; `none`: no node, but a person or the run itself wants the worker to go. */
export const DRAIN_PROVIDERS = ['aws', 'gcp', 'azure', 'other', 'none'] as const;
export type DrainProvider = (typeof DRAIN_PROVIDERS)[number];

/** `left`: it has handed back and gone; `lost`: it was gone before it could; `withdrawn`: it works again. */
export const DRAIN_OUTCOMES = ['left', 'lost', 'withdrawn'] as const;
export type DrainOutcome = (typeof DRAIN_OUTCOMES)[number];

export const REPLACEMENTS = ['node-gone', 'node-going', 'outdated', 'refused', 'failed', 'deleted', 'ended'] as const;
export type Replacement = (typeof REPLACEMENTS)[number];

/** What is known of a worker now. */
export interface WorkerFacts {
  readonly view: WorkerView;
  /** Of its node; null where nothing is said of it. */
  readonly signal: Signal | null;
  /** In the coordinator's words; null where it does not answer, or does not know the worker. */
  readonly word: WorkerStatus['state'] | null;
  /** Whether the plan of this look lets it go. */
  readonly isUnwanted: boolean;
  /** Digest of the template that the run has now. */
  readonly template: string;
}

export interface WorkerLook {
  readonly sample: WorkerSample;
  readonly ended: DrainEnd | null;
}

export interface DrainEnd {
  readonly outcome: DrainOutcome;
  readonly provider: DrainProvider;
  readonly tookMs: number;
}

/** Pure. `before`: null for a worker that is seen for the first time. */
export function lookAtWorker(before: WorkerSample | null, facts: WorkerFacts, nowMs: number): WorkerLook {
  const { view } = facts;
  const isOver = view.phase === 'succeeded' || view.phase === 'failed' || facts.signal?.severity === 'gone';
  const isLeaving = !isOver && leaves(facts);
  const drain = isLeaving ? (before?.drain ?? { sinceMs: nowMs, provider: providerOf(facts.signal) }) : null;
  const sample: WorkerSample = {
    slot: view.slot,
    incarnation: view.incarnation,
    state: isOver ? null : wordOf(facts, isLeaving),
    cause: causeOf(facts),
    isTerminating: view.isTerminating,
    drain,
  };
  if (before?.drain == null || isLeaving) return { sample, ended: null };
  return { sample, ended: endOf(before.drain, outcomeOf(facts, isOver), nowMs) };
}

/** How the drain of a worker has ended whose pod is not there any more; null where it was on no way out. */
export function endOfGone({ drain, isTerminating }: WorkerSample, nowMs: number): DrainEnd | null {
  return drain === null ? null : endOf(drain, isTerminating ? 'left' : 'lost', nowMs);
}

function leaves({ view, signal, word, isUnwanted }: WorkerFacts): boolean {
  return view.isTerminating || view.notice !== null || isUnwanted || word === 'draining' || signal?.severity === 'drain';
}

function outcomeOf({ view }: WorkerFacts, isOver: boolean): DrainOutcome {
  if (!isOver) return 'withdrawn';
  return view.phase === 'succeeded' ? 'left' : 'lost';
}

function endOf({ sinceMs, provider }: Drain, outcome: DrainOutcome, nowMs: number): DrainEnd {
  return { outcome, provider, tookMs: Math.max(0, nowMs - sinceMs) };
}

function providerOf(signal: Signal | null): DrainProvider {
  return signal === null ? 'none' : (signal.provider ?? 'other');
}

function wordOf({ word }: WorkerFacts, isLeaving: boolean): WorkerWord {
  if (isLeaving) return 'draining';
  return word === null || word === 'init' ? 'starting' : word;
}

/** The first that holds: a pod on a node that is gone may have failed as well, but not of itself. */
function causeOf({ view, signal, template }: WorkerFacts): Replacement | null {
  if (signal?.severity === 'gone') return 'node-gone';
  if (signal?.severity === 'drain') return 'node-going';
  const isGoing = view.isTerminating || view.phase === 'succeeded';
  if (isGoing && view.template !== template) return 'outdated';
  if (view.phase === 'failed') return view.hasNeverRun ? 'refused' : 'failed';
  if (view.isTerminating || view.notice !== null) return 'deleted';
  return view.phase === 'succeeded' ? 'ended' : null;
}
