import { assertNever } from '../../runtime/base/assert.ts';
import { fullJitterMs } from '../../runtime/base/backoff.ts';
import type { Random } from '../../runtime/base/random.ts';
import { ApiError, isExpired, isVersionTooLarge } from './api-error.ts';

/**
 * What a reflector does next. It lists once and then watches from the version of the list; each event moves the version on. After whatever
 * ends a watch it watches again from the version that it has reached, and lists again only where that version cannot be used. Pure.
 */

/** Why a call or a watch failed, as far as it matters for what comes next. */
export type Failure =
  | { readonly kind: 'expired' }
  | { readonly kind: 'version-too-large' }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null }
  /** 401, 403: nothing but a change of rights helps. */
  | { readonly kind: 'denied'; readonly message: string }
  /** 404: the kind does not exist, as before its definition is installed. */
  | { readonly kind: 'missing'; readonly message: string }
  /** The server failed, or the network did. */
  | { readonly kind: 'failed'; readonly retryAfterMs: number | null; readonly message: string };

export type Observation =
  | { readonly kind: 'started' }
  | { readonly kind: 'listed'; readonly resourceVersion: string }
  | { readonly kind: 'list-failed'; readonly failure: Failure }
  /** The watch was refused, or its connection failed. */
  | { readonly kind: 'watch-failed'; readonly failure: Failure }
  /** An event of type ERROR. */
  | { readonly kind: 'error-event'; readonly failure: Failure }
  /** The watch ended without an error. */
  | { readonly kind: 'closed'; readonly lastedMs: number; readonly events: number };

export type Action =
  | { readonly kind: 'list'; readonly afterMs: number; readonly resourceVersion: string }
  | { readonly kind: 'watch'; readonly afterMs: number; readonly resourceVersion: string; readonly timeoutSeconds: number };

/** What a person has to know of, since it does not pass by itself. */
export interface Trouble {
  readonly kind: 'denied' | 'missing' | 'failed';
  readonly message: string;
}

/** 'cached': a version that the server has at hand, which may be old. 'consistent': all that was written before the call. */
export type FirstList = 'cached' | 'consistent';

export interface WatchState {
  readonly firstList: FirstList;
  /** The last version seen; null before the first list. */
  readonly version: string | null;
  /** The version cannot be used: the next list asks for the newest. */
  readonly isVersionLost: boolean;
  /** In a row, each within RESET_MS of the one before. */
  readonly failures: number;
  readonly failedMs: number;
  /** The last of them was a version that could not be used. */
  readonly hasExpired: boolean;
  /** Null while calls succeed. */
  readonly trouble: Trouble | null;
}

/** The server ends watches at different times, so that they do not all come back at once. */
const MIN_WATCH_SECONDS = 300;
const MAX_WATCH_SECONDS = 600;
const BACKOFF_MS = 800;
const MAX_BACKOFF_MS = 30_000;
/** After so long without a failure, the next one is the first. */
const RESET_MS = 120_000;
/** A server that ends watches sooner than this is not well. */
const SHORT_MS = 1_000;

export function newWatchState(firstList: FirstList): WatchState {
  return {
    firstList,
    version: null,
    isVersionLost: false,
    failures: 0,
    failedMs: Number.NEGATIVE_INFINITY,
    hasExpired: false,
    trouble: null,
  };
}

/** Each event moves the version, bookmarks too. Versions are opaque: they are never compared. */
export function onEvent(state: WatchState, version: string): WatchState {
  return { ...state, version, trouble: null };
}

export interface Step {
  readonly state: WatchState;
  readonly action: Action;
}

/** `random` spreads what several watches, and several operators, would otherwise do at the same time. */
export function nextStep(state: WatchState, nowMs: number, seen: Observation, random: Random): Step {
  switch (seen.kind) {
    case 'started':
      return { state, action: listNow(state) };
    case 'listed': {
      const next: WatchState = { ...state, version: seen.resourceVersion, isVersionLost: false, trouble: null };
      return { state: next, action: watchAfter(next, 0, random) };
    }
    case 'closed':
      return onClosed(state, nowMs, seen, random);
    case 'list-failed':
      return onFailure(state, nowMs, seen.failure, random, 'list');
    case 'watch-failed':
      return onFailure(state, nowMs, seen.failure, random, 'watch');
    case 'error-event':
      // A watch that the server could not go on with: what it has missed is in the list.
      return onFailure(state, nowMs, seen.failure, random, seen.failure.kind === 'throttled' ? 'watch' : 'list');
    default:
      return assertNever(seen);
  }
}

/** An answer of the API server, or none, as what follows from it. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return { kind: 'failed', retryAfterMs: null, message };
  if (isExpired(error)) return { kind: 'expired' };
  if (isVersionTooLarge(error)) return { kind: 'version-too-large' };
  if (error.status === 429) return { kind: 'throttled', retryAfterMs: error.retryAfterMs };
  if (error.status === 401 || error.status === 403) return { kind: 'denied', message };
  if (error.status === 404) return { kind: 'missing', message };
  return { kind: 'failed', retryAfterMs: error.retryAfterMs, message };
}

/** Why the watch or the list is made again, as the metric has it. */
export function reasonOf(seen: Observation): string {
  switch (seen.kind) {
    case 'started':
    case 'listed':
      return seen.kind;
    case 'closed':
      return isShort(seen) ? 'closed-early' : 'closed';
    case 'list-failed':
    case 'watch-failed':
    case 'error-event':
      return seen.failure.kind;
    default:
      return assertNever(seen);
  }
}

function onClosed(state: WatchState, nowMs: number, seen: Observation & { kind: 'closed' }, random: Random): Step {
  if (!isShort(seen)) return { state: { ...state, trouble: null }, action: watchAfter(state, 0, random) };
  const failed = counted(state, nowMs, false);
  // A server that is stopping ends watches at any moment; one that had said something is asked again at once.
  const afterMs = seen.events > 0 && failed.failures === 1 ? 0 : backoffMs(failed, random);
  return { state: failed, action: watchAfter(failed, afterMs, random) };
}

function isShort({ lastedMs }: Observation & { kind: 'closed' }): boolean {
  return lastedMs < SHORT_MS;
}

function onFailure(state: WatchState, nowMs: number, failure: Failure, random: Random, again: 'list' | 'watch'): Step {
  const isExpiry = failure.kind === 'expired' || failure.kind === 'version-too-large';
  const failed = { ...counted(state, nowMs, isExpiry), trouble: troubleOf(failure) };
  const delayMs = backoffMs(failed, random);
  switch (failure.kind) {
    case 'expired':
    case 'version-too-large': {
      const lost = { ...failed, isVersionLost: true };
      const isAgain = state.hasExpired && failed.failures > 1;
      // It happens to any watch that was away for a while, and the list helps; only a server that repeats it is given time.
      return { state: lost, action: listNow(lost, isAgain ? delayMs : 0) };
    }
    case 'missing': {
      const lost = { ...failed, isVersionLost: true };
      return { state: lost, action: listNow(lost, delayMs) };
    }
    case 'throttled':
    case 'failed': {
      const afterMs = Math.max(failure.retryAfterMs ?? 0, delayMs);
      return { state: failed, action: again === 'list' ? listNow(failed, afterMs) : watchAfter(failed, afterMs, random) };
    }
    case 'denied':
      return { state: failed, action: again === 'list' ? listNow(failed, delayMs) : watchAfter(failed, delayMs, random) };
    default:
      return assertNever(failure);
  }
}

/** What passes with the next call is no trouble. */
function troubleOf(failure: Failure): Trouble | null {
  switch (failure.kind) {
    case 'expired':
    case 'version-too-large':
    case 'throttled':
      return null;
    case 'denied':
    case 'missing':
    case 'failed':
      return { kind: failure.kind, message: failure.message };
    default:
      return assertNever(failure);
  }
}

function counted(state: WatchState, nowMs: number, hasExpired: boolean): WatchState {
  return { ...state, failures: nowMs - state.failedMs >= RESET_MS ? 1 : state.failures + 1, failedMs: nowMs, hasExpired };
}

function backoffMs({ failures }: WatchState, random: Random): number {
  return fullJitterMs(failures - 1, BACKOFF_MS, MAX_BACKOFF_MS, random);
}

/** Later lists ask for the version that was reached or a newer one, so a cache never goes back in time. */
function listNow({ version, isVersionLost, firstList }: WatchState, afterMs = 0): Action {
  if (isVersionLost) return { kind: 'list', afterMs, resourceVersion: '' };
  return { kind: 'list', afterMs, resourceVersion: version ?? (firstList === 'cached' ? '0' : '') };
}

function watchAfter({ version }: WatchState, afterMs: number, random: Random): Action {
  const timeoutSeconds = Math.floor(MIN_WATCH_SECONDS + random.next() * (MAX_WATCH_SECONDS - MIN_WATCH_SECONDS));
  return { kind: 'watch', afterMs, resourceVersion: version ?? '', timeoutSeconds };
}
