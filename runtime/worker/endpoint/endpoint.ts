import { againByMs, withoutIdleTime } from './away.ts';
import { isQuiet, newLimit, onOpened, onSucceeded, onThrottled } from './concurrency.ts';
import { type Beginning, type Load, passBusyTime, takeCrowd } from './load.ts';
import type { Breaker, Busy, EndpointFailure, ExecutionKey, Outage } from './outage.ts';
import { openAgain, type Refusals, type Refused, whoIsRefused } from './refusals.ts';
import { addResult, carried, newThroughput } from './throughput.ts';

/**
 * One server of the worker's backend. It decides whether a failure there is the server's fault or the item's. One failure does not show
 * it; what the endpoint does with other items does:
 *
 * - A failure is held back until the endpoint has given a result to an item that started after it. Then it is the item's own.
 * - A row of failures that no result interrupts is the endpoint's. The breaker opens: the items go back uncounted, and nothing starts.
 * - While it is open, the endpoint is asked whether it is ready, with growing gaps. Once it is, the breaker is half-open: one item probes it.
 *   A result closes the breaker. After a failure the endpoint is asked once more (confirming): only an item that failed alone between
 *   two such answers may be the reason itself, and the coordinator decides whether that counts (C3).
 * - After a refusal it is asked with the known-good request, one that has had a result before: only if it answers that, the refusal is
 *   the item's own (refusals.ts).
 *
 * Source of the states: Michael Nygard, "Release It!" (2007), circuit breaker. The functions here know one endpoint and no item.
 */
export interface Endpoint extends Load, Refusals {
  /** Its number within the backend. */
  readonly number: number;
  /** Names it in messages. */
  readonly url: string;
  breaker: Breaker;
  /** When something was started there last; the one that has waited longest is chosen among equals. */
  startedAtMs: number;
  /** When the last execution there was over. */
  endedAtMs: number;
  /** Failures since its last result. */
  failures: number;
  /** It has throttled since its last result; null where it has not. */
  busy: Busy | null;
}

/**
 * What happens to the item that failed. hold: whether it counts is not known yet; return: it goes back uncounted; refused: it goes back
 * uncounted and the coordinator is told; crowded: it goes back uncounted, since too many requests were in flight; confirm: it waits for
 * the readiness check, or for the answer to the known-good request.
 */
export type Verdict = 'hold' | 'return' | 'refused' | 'crowded' | 'confirm';

/** A row of so many failures without a result opens the breaker; a shorter one does if fewer items are in flight. */
export const FAILURE_ROW = 8;
/** One failure is no row, even where items run one by one. */
const LEAST_ROW = 2;
/** So many tries give a gap below a second (readiness.ts). */
const SOON_TRIES = 3;
const CLOSED: Breaker = { kind: 'closed' };
/** Longer than it takes to get the next item from a coordinator that has one. */
export const IDLE_MS = 1_000;

export function newEndpoint(number: number, url: string, concurrency: number, timeoutMs: number, nowMs: number): Endpoint {
  return {
    number,
    url,
    timeoutMs,
    breaker: { kind: 'unknown', outage: { sinceMs: nowMs, tries: 0, detail: '', isRefusing: false } },
    limit: newLimit(concurrency, timeoutMs),
    throughput: newThroughput(nowMs),
    executing: 0,
    startedAtMs: 0,
    endedAtMs: nowMs,
    hasAnswered: false,
    failures: 0,
    refusals: 0,
    refusesSingly: false,
    busy: null,
    crowdedUntilMs: Number.NEGATIVE_INFINITY,
  };
}

export function isClosed(endpoint: Endpoint): boolean {
  return endpoint.breaker.kind === 'closed';
}

/** Null while it is closed. */
export function outageOf({ breaker }: Endpoint): Outage | null {
  return breaker.kind === 'closed' ? null : breaker.outage;
}

/** It waits for an item that tries it. */
export function wantsProbe({ breaker }: Endpoint): boolean {
  return breaker.kind === 'half-open' && breaker.probe === null;
}

export function mayStart(endpoint: Endpoint, nowMs: number): boolean {
  return isClosed(endpoint) && endpoint.executing < endpoint.limit.size && !isQuiet(endpoint.limit, nowMs);
}

export function onStarted(endpoint: Endpoint, nowMs: number, key: ExecutionKey): void {
  passBusyTime(endpoint, nowMs);
  if (endpoint.executing === 0 && endpoint.busy !== null) endpoint.busy = withoutIdleTime(endpoint.busy, nowMs);
  endpoint.executing += 1;
  endpoint.startedAtMs = nowMs;
  if (endpoint.breaker.kind === 'half-open' && endpoint.breaker.probe === null) endpoint.breaker = { ...endpoint.breaker, probe: key };
}

/** An execution is over, with any end; one of the following functions then takes in what its end shows. */
export function onLeft(endpoint: Endpoint, nowMs: number): void {
  passBusyTime(endpoint, nowMs);
  endpoint.executing -= 1;
  endpoint.endedAtMs = nowMs;
}

/** The probe was stopped, which shows nothing. Another item probes. */
export function onProbeDropped(endpoint: Endpoint, key: ExecutionKey): void {
  if (isProbe(endpoint, key) && endpoint.breaker.kind === 'half-open') endpoint.breaker = { ...endpoint.breaker, probe: null };
}

export function onResult(endpoint: Endpoint, tookMs: number): void {
  endpoint.hasAnswered = true;
  endpoint.failures = 0;
  endpoint.refusals = 0;
  endpoint.busy = null;
  addResult(endpoint.throughput, tookMs);
  endpoint.limit = onSucceeded(endpoint.limit, carried(endpoint.throughput, endpoint.timeoutMs));
  endpoint.breaker = CLOSED;
}

/** It has judged the item: the endpoint works, which is all that a probe has to find out. */
export function onItemRefused(endpoint: Endpoint, key: ExecutionKey): void {
  endpoint.busy = null;
  if (isProbe(endpoint, key)) endpoint.breaker = CLOSED;
}

/** `isOnly`: no other endpoint of the worker works, so that the item cannot be tried elsewhere. */
export function onFailure(
  endpoint: Endpoint,
  nowMs: number,
  key: ExecutionKey,
  failure: EndpointFailure,
  isOnly: boolean,
  beginning: Beginning,
): Verdict {
  if (failure.isRefusal) endpoint.refusals += 1;
  else endpoint.failures += 1;
  if (isProbe(endpoint, key)) return onProbeFailed(endpoint, failure, isOnly);
  if (!isClosed(endpoint)) return onFailedMeanwhile(endpoint, failure);
  const isCrowded = failure.isTimeout && takeCrowd(endpoint, nowMs, beginning);
  const refused = refusedBy(endpoint, failure);
  if (refused !== 'single') {
    open(endpoint, nowMs, failure.detail, true);
    return refused === 'unclear' && isOnly ? confirm(endpoint, failure) : 'refused';
  }
  if (endpoint.failures < rowOf(endpoint)) return isCrowded ? 'crowded' : 'hold';
  open(endpoint, nowMs, failure.detail, false);
  return 'return';
}

/** Refused for now (429, 503): it is there. A probe proves nothing by that. */
export function onBusy(endpoint: Endpoint, nowMs: number, key: ExecutionKey, quietMs: number, detail: string): void {
  onThrottledAgain(endpoint, nowMs, quietMs, detail);
  if (isProbe(endpoint, key)) reopen(endpoint, detail);
}

/** An item that it always refuses for now: that is judged as a failure. */
export function onThrottledAgain(endpoint: Endpoint, nowMs: number, quietMs: number, detail: string): void {
  const { sinceMs, times } = endpoint.busy ?? { sinceMs: nowMs, times: 0 };
  endpoint.limit = onThrottled(endpoint.limit, nowMs, quietMs, nowMs - sinceMs);
  endpoint.busy = { sinceMs, times: times + 1, detail, againByMs: againByMs(nowMs, quietMs, endpoint.limit.quietUntilMs) };
}

/** No connection could be made. */
export function onUnreachable(endpoint: Endpoint, nowMs: number, key: ExecutionKey, detail: string): void {
  if (isClosed(endpoint)) open(endpoint, nowMs, detail, false);
  else if (isProbe(endpoint, key)) reopen(endpoint, detail);
}

/** Nothing runs there any more, and has not for a while: with quick answers there are moments without work at any time. */
export function isIdle({ executing, endedAtMs }: Endpoint, nowMs: number): boolean {
  return executing === 0 && nowMs - endedAtMs >= IDLE_MS;
}

/** All that was in flight has failed, and nothing else starts that could show whose fault it is. */
export function onAllFailed(endpoint: Endpoint, nowMs: number, detail: string): void {
  open(endpoint, nowMs, detail, false);
}

/** The answer to a readiness check. While a probe's failure is confirmed it is taken in by `onConfirmed`. */
export function onReadiness(endpoint: Endpoint, detail: string | null): void {
  const { breaker } = endpoint;
  if (breaker.kind !== 'unknown' && breaker.kind !== 'open') return;
  if (detail === null) {
    endpoint.breaker = breaker.kind === 'unknown' ? CLOSED : { kind: 'half-open', outage: breaker.outage, probe: null };
  } else endpoint.breaker = { ...breaker, outage: { ...breaker.outage, tries: breaker.outage.tries + 1, detail } };
}

/**
 * The failed probe's item is dealt with: the next try follows after a gap. One that says that it is ready, and has given results, is tried
 * soon: with growing gaps a few items that it always fails would take minutes.
 */
export function onConfirmed(endpoint: Endpoint, detail: string | null): void {
  const outage = outageOf(endpoint);
  if (outage === null) return;
  const tries = outage.tries + 1;
  const isSoon = detail === null && endpoint.hasAnswered;
  endpoint.breaker = { kind: 'open', outage: { ...outage, tries: isSoon ? Math.min(tries, SOON_TRIES) : tries } };
}

export function isProbe({ breaker }: Endpoint, key: ExecutionKey): boolean {
  return breaker.kind === 'half-open' && breaker.probe === key;
}

/** It was in flight when the breaker opened. */
function onFailedMeanwhile({ breaker }: Endpoint, { isRefusal }: EndpointFailure): Verdict {
  if (!isRefusal || breaker.kind === 'closed') return 'return';
  if (breaker.kind === 'confirming' && breaker.isRefusal) return 'confirm';
  return breaker.outage.isRefusing ? 'refused' : 'return';
}

function onProbeFailed(endpoint: Endpoint, failure: EndpointFailure, isOnly: boolean): Verdict {
  if (isOnly && !failure.isCertain) return confirm(endpoint, failure);
  const isNowRefusing = refusedBy(endpoint, failure) !== 'single';
  reopen(endpoint, failure.detail, isNowRefusing);
  return isNowRefusing ? 'refused' : 'return';
}

function refusedBy(endpoint: Endpoint, { isRefusal, isCertain }: EndpointFailure): Refused {
  return isRefusal ? whoIsRefused(endpoint, isCertain) : 'single';
}

function confirm(endpoint: Endpoint, { isRefusal, detail }: EndpointFailure): Verdict {
  const outage = outageOf(endpoint);
  if (outage !== null) endpoint.breaker = { kind: 'confirming', isRefusal, outage: { ...outage, detail, isRefusing: false } };
  return 'confirm';
}

function rowOf({ limit }: Endpoint): number {
  return Math.min(FAILURE_ROW, Math.max(LEAST_ROW, limit.size));
}

function open(endpoint: Endpoint, nowMs: number, detail: string, isNowRefusing: boolean): void {
  endpoint.breaker = { kind: 'open', outage: { sinceMs: nowMs, tries: 0, detail, isRefusing: isNowRefusing } };
  endpoint.limit = onOpened(endpoint.limit);
  endpoint.failures = 0;
}

function reopen(endpoint: Endpoint, detail: string, isNowRefusing = false): void {
  const outage = outageOf(endpoint);
  if (outage !== null) endpoint.breaker = openAgain(outage, detail, isNowRefusing);
}
