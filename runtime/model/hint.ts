import { assertNever } from '../base/assert.ts';
import type { WorkerId } from './row.ts';

/**
 * The only way in which the news that a machine is about to go enters: whoever hears it from a cloud, a cluster or a person says it
 * as a hint. What is written says when it ends as people write it; what was received counts by the monotonic clock of its receiver.
 */

/**
 * hint: the machine may be wanted back, and the word may be withdrawn; drain: it will go, leave in time; gone: it is no more, or
 * must count as such.
 */
export const SEVERITIES = ['hint', 'drain', 'gone'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PROVIDERS = ['aws', 'gcp', 'azure'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What each provider's notice is, and how much of it a drain may use: the rest is for whoever has to act on it after us. */
export const PROVIDER_TIMES: Readonly<Record<Provider, { readonly noticeMs: number; readonly drainMs: number }>> = {
  aws: { noticeMs: 120_000, drainMs: 60_000 },
  gcp: { noticeMs: 30_000, drainMs: 15_000 },
  azure: { noticeMs: 30_000, drainMs: 15_000 },
};

/** SIGTERM comes with terminationGracePeriod until SIGKILL; a quarter of it is left for the way out of whoever watches. */
const SIGTERM_PART = 0.75;

export type Deadline = { readonly kind: 'in'; readonly ms: number } | { readonly kind: 'at'; readonly wallMs: number };

/** A hint as its source says it. What it names neither by node nor by worker concerns whoever reads it. */
export interface WrittenHint {
  readonly node: string | null;
  readonly worker: WorkerId | null;
  readonly severity: Severity;
  readonly provider: Provider | null;
  readonly deadline: Deadline | null;
  /** One line of at most MAX_DETAIL_CHARACTERS. */
  readonly reason: string;
}

export interface ComputeHint {
  readonly node: string | null;
  readonly worker: WorkerId | null;
  readonly severity: Severity;
  /** Of the receiver's monotonic clock; null where the worker's own setting applies. */
  readonly untilMs: number | null;
  readonly reason: string;
}

/** A hint that was received, with what was written: the same word read again is not received again. */
export interface ReceivedHint extends ComputeHint {
  readonly written: WrittenHint;
}

export interface Now {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function sigtermDrainMs(gracePeriodMs: number): number {
  return gracePeriodMs * SIGTERM_PART;
}

/** The grace period of which SIGTERM leaves `drainMs`. */
export function gracePeriodMs(drainMs: number): number {
  return Math.ceil(drainMs / SIGTERM_PART);
}

/** How long a drain may take from now on: the provider's time or the hint's own, whichever ends first; null where neither says. */
export function drainMsOf(hint: WrittenHint, nowWallMs: number): number | null {
  const ownMs = hint.deadline === null ? null : deadlineMs(hint.deadline, nowWallMs);
  const providerMs = hint.provider === null ? null : PROVIDER_TIMES[hint.provider].drainMs;
  return earlier(ownMs, providerMs);
}

/** What a source says now, in the place of what it said before. Only a new word starts a new count. */
export function receive(before: readonly ReceivedHint[], written: readonly WrittenHint[], now: Now): readonly ReceivedHint[] {
  const known = new Map(before.map((hint) => [keyOf(hint.written), hint]));
  return written.map((one) => known.get(keyOf(one)) ?? receiveOne(one, now));
}

export function receiveOne(written: WrittenHint, now: Now): ReceivedHint {
  const { node, worker, severity, reason } = written;
  const ms = drainMsOf(written, now.wallMs);
  return { node, worker, severity, reason, untilMs: ms === null ? null : now.monotonicMs + ms, written };
}

/** The one that asks most: of equal ones the first; the deadline is the earliest that any drain names. Null for none. */
export function strictest(hints: readonly ComputeHint[]): ComputeHint | null {
  let worst: ComputeHint | null = null;
  for (const hint of hints) if (worst === null || rank(hint.severity) > rank(worst.severity)) worst = hint;
  if (worst === null) return null;
  const untilMs = hints.filter((hint) => hint.severity !== 'hint').reduce<number | null>((min, hint) => earlier(min, hint.untilMs), null);
  return { ...worst, untilMs };
}

/** Whether a hint is about this worker. One that names nobody is. */
export function concerns(hint: Pick<ComputeHint, 'node' | 'worker'>, worker: { readonly id: WorkerId; readonly node: string }): boolean {
  if (hint.worker !== null && hint.worker !== worker.id) return false;
  return hint.node === null || hint.node === worker.node;
}

/** The earlier of two moments, or the shorter of two times; null is never. */
export function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function deadlineMs(deadline: Deadline, nowWallMs: number): number {
  switch (deadline.kind) {
    case 'in':
      return deadline.ms;
    case 'at':
      return Math.max(0, deadline.wallMs - nowWallMs);
    default:
      return assertNever(deadline);
  }
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function keyOf(written: WrittenHint): string {
  const { node, worker, severity, provider, deadline, reason } = written;
  return JSON.stringify([node, worker, severity, provider, deadline, reason]);
}
