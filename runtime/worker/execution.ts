import { assertNever, mustGet } from '../base/assert.ts';
import { addDuration } from '../model/durations.ts';
import type { ItemRef } from '../model/row.ts';
import type { Outcome, ReturnReason } from '../model/session.ts';
import type { Ending, KnownGoodEnd } from './commands.ts';
import {
  type Endpoint,
  isClosed,
  isIdle,
  onAllFailed,
  onBusy,
  onConfirmed,
  onFailure,
  onItemRefused,
  onLeft,
  onProbeDropped,
  onReadiness,
  onResult,
  onThrottledAgain,
  onUnreachable,
  outageOf,
  type Verdict,
} from './endpoint/endpoint.ts';
import type { EndpointFailure } from './endpoint/outage.ts';
import { onKnownGoodAnswered, onKnownGoodFailed } from './endpoint/refusals.ts';
import { giveBack, returnQueued } from './holding.ts';
import { addEnded, passSlotTime } from './session/window.ts';
import type { Held } from './stage.ts';
import { command, type Execution, find, moveTo, type State } from './state.ts';
import { keepOutcome } from './storing.ts';

/**
 * How executions end: what each end shows about its endpoint (endpoint.ts), and what happens to the item. An item whose failure is held back
 * waits in the stage `failed` until its endpoint has shown whose fault it is; nothing waits there where nothing runs on the endpoint.
 */

/**
 * An item that is throttled this often while others pass is one that the endpoint never takes (for example, larger than its rate limit):
 * from then on it fails. The worker does not know how often it was throttled; the attempt is the nearest number that it has.
 */
export const MAX_THROTTLED_ATTEMPTS = 30;
/**
 * Items that fail alone wait so many times longer for their next try, up to a bound: their tries then span about a minute, so that a server
 * that is restarted, or still loading, behind an address that says that it is ready costs no item all of its attempts.
 */
const PATIENCE = 8;
const MOST_ALONE_MS = 15_000;
/** What everybody is refused waits no longer: the delay of an item that fails grows with its tries, and the pause of the run waits for them. */
const REFUSED_DELAY_MS = 500;

/** L36: an item that was handed back or revoked meanwhile has no outcome, and neither has one that was aborted because the worker leaves. */
export function end(state: State, nowMs: number, ref: ItemRef, ending: Ending): void {
  const execution = mustGet(state.executing.get(ref), 'an execution that ends');
  const { endpoint } = execution;
  passSlotTime(state.credit.pace, nowMs, state.executing.size);
  state.executing.delete(execution);
  onLeft(endpoint, nowMs);
  if (state.mode.kind === 'left') return;
  const held = find(state, ref);
  const isWanted = held?.stage.kind === 'started';
  if (ending.kind === 'outcome') onOutcome(state, nowMs, execution, ending.outcome);
  // An execution that was stopped fails for that reason, which shows nothing about the endpoint.
  if (!isWanted) return onProbeDropped(endpoint, execution);
  if (ending.kind === 'outcome' || ending.kind === 'failure') addEnded(state.credit.pace, state.settings.concurrency);
  switch (ending.kind) {
    case 'outcome':
      return keepOutcome(state, held, ending.outcome);
    case 'failure':
      return onFailed(state, nowMs, execution, held, ending.outcome, ending.failure);
    case 'throttled':
      return onThrottledItem(state, nowMs, execution, held, ending);
    case 'unavailable': {
      onUnreachable(endpoint, nowMs, execution, ending.detail);
      giveBack(state, held, { reason: 'unavailable', detail: ending.detail });
      return afterOpening(state, endpoint);
    }
    default:
      assertNever(ending);
  }
}

/** The answer to a readiness check: `detail` says why the endpoint is not ready, null that it is. */
export function takeReadiness(state: State, endpoint: Endpoint, detail: string | null): void {
  state.asked.delete(endpoint.number);
  if (endpoint.breaker.kind !== 'confirming') return onReadiness(endpoint, detail);
  for (const held of failuresOf(state, endpoint)) {
    if (detail === null) keepOutcome(state, held, failedAlone(outcomeOf(held)));
    else giveBack(state, held, { reason: 'unavailable', delayMs: outcomeOf(held).delayMs, detail });
  }
  onConfirmed(endpoint, detail);
}

/** W13: what the endpoint made of a request that it, or another one, has answered before. */
export function takeKnownGood(state: State, endpoint: Endpoint, end: KnownGoodEnd): void {
  state.asked.delete(endpoint.number);
  // A result that came meanwhile has closed the breaker, and decides.
  if (endpoint.breaker.kind !== 'confirming') return;
  if (end.kind === 'answered') {
    onKnownGoodAnswered(endpoint);
    for (const held of failuresOf(state, endpoint)) keepOutcome(state, held, outcomeOf(held));
    return;
  }
  const detail = [endpoint.breaker.outage.detail, end.detail].filter((words) => words !== '').join('; ');
  onKnownGoodFailed(endpoint, detail, end.kind === 'refused');
  afterOpening(state, endpoint);
}

/** Asks each endpoint that is away, one check at a time. */
export function askEndpoints(state: State): void {
  if (state.mode.kind === 'draining' || state.mode.kind === 'left') return;
  for (const endpoint of state.endpoints) {
    const { breaker, number } = endpoint;
    if (breaker.kind === 'closed' || breaker.kind === 'half-open' || state.asked.has(number)) continue;
    state.asked.add(number);
    if (breaker.outage.detail !== '') command(state, { kind: 'note-away', detail: breaker.outage.detail });
    if (breaker.kind === 'confirming' && breaker.isRefusal) {
      command(state, { kind: 'ask-known-good', endpoint: number });
      continue;
    }
    // A failed probe is confirmed at once; otherwise there is a gap after each try.
    command(state, { kind: 'ask', endpoint: number, tries: breaker.kind === 'confirming' ? 0 : breaker.outage.tries });
  }
}

/** Where nothing runs on an endpoint any more, nothing can show whose fault the failures there were: a row of all in flight. */
export function openWhereAllFailed(state: State, nowMs: number): void {
  if (state.failures.size === 0) return;
  for (const endpoint of state.endpoints) {
    const [first] = failuresOf(state, endpoint);
    if (first?.stage.kind !== 'failed' || !isClosed(endpoint) || !isIdle(endpoint, nowMs)) continue;
    onAllFailed(endpoint, nowMs, first.stage.detail);
    afterOpening(state, endpoint);
  }
}

function onOutcome(state: State, nowMs: number, execution: Execution, outcome: Outcome): void {
  const { endpoint, startedAtMs } = execution;
  if (outcome.kind !== 'result') return onItemRefused(endpoint, execution);
  onResult(endpoint, nowMs - startedAtMs);
  // A failure says little about how long an answer takes.
  addDuration(state.durations, nowMs - startedAtMs);
  for (const held of failuresOf(state, endpoint)) {
    if (held.stage.kind === 'failed' && held.stage.failedAtMs <= startedAtMs) keepOutcome(state, held, held.stage.outcome);
  }
}

function onFailed(state: State, nowMs: number, execution: Execution, held: Held, outcome: Outcome, failure: EndpointFailure): void {
  const { endpoint } = execution;
  const verdict = onFailure(endpoint, nowMs, execution, failure, !worksElsewhere(state, endpoint), execution);
  const isHeldBack = verdict === 'hold' || verdict === 'confirm';
  if (isHeldBack && state.mode.kind !== 'draining') {
    moveTo(state, held, { kind: 'failed', outcome, detail: failure.detail, endpoint: endpoint.number, failedAtMs: nowMs });
    if (!worksAnywhere(state)) returnQueued(state, 'unavailable');
    return;
  }
  const reason = reasonOf(state, verdict);
  const isQuota = reason === 'refused' && failure.isCertain;
  giveBack(state, held, { reason: isQuota ? 'quota' : reason, delayMs: outcome.delayMs, detail: failure.detail });
  afterOpening(state, endpoint);
}

function reasonOf(state: State, verdict: Verdict): ReturnReason {
  switch (verdict) {
    case 'hold':
    case 'confirm':
      return 'drained';
    case 'return':
      return 'unavailable';
    case 'crowded':
      return 'throttled';
    case 'refused':
      return state.endpoints.every((endpoint) => outageOf(endpoint)?.isRefusing === true) ? 'refused' : 'unavailable';
    default:
      return assertNever(verdict);
  }
}

function onThrottledItem(
  state: State,
  nowMs: number,
  execution: Execution,
  held: Held,
  { outcome, quietMs, detail }: Extract<Ending, { kind: 'throttled' }>,
): void {
  const { endpoint } = execution;
  // Asked no later than the worker gives up: an endpoint that then still throttles counts as away (away.ts).
  const restMs = Math.min(quietMs, state.settings.waitBackendMs);
  const delayMs = Math.min(outcome.delayMs, state.settings.waitBackendMs);
  // An endpoint that has never answered shows nothing about single items.
  if (held.ref.attempt > MAX_THROTTLED_ATTEMPTS && endpoint.hasAnswered) {
    onThrottledAgain(endpoint, nowMs, restMs, detail);
    return onFailed(state, nowMs, execution, held, outcome, { isRefusal: false, isCertain: false, isTimeout: false, detail });
  }
  onBusy(endpoint, nowMs, execution, restMs, detail);
  giveBack(state, held, { reason: 'throttled', delayMs, detail });
}

/** An endpoint whose breaker is open proves nothing: items that had failed there go back. If no endpoint works, queued items go back too. */
function afterOpening(state: State, endpoint: Endpoint): void {
  if (endpoint.breaker.kind !== 'open') return;
  const { outage } = endpoint.breaker;
  const reason = reasonOf(state, outage.isRefusing ? 'refused' : 'return');
  const mostMs = outage.isRefusing ? REFUSED_DELAY_MS : Number.POSITIVE_INFINITY;
  for (const held of failuresOf(state, endpoint)) {
    giveBack(state, held, { reason, delayMs: Math.min(mostMs, outcomeOf(held).delayMs), detail: outage.detail });
  }
  if (!worksAnywhere(state)) returnQueued(state, 'unavailable');
}

function failedAlone(outcome: Outcome): Outcome {
  return { ...outcome, isProbe: true, delayMs: Math.min(MOST_ALONE_MS, outcome.delayMs * PATIENCE) };
}

const NONE: readonly Held[] = [];

function failuresOf(state: State, { number }: Endpoint): readonly Held[] {
  if (state.failures.size === 0) return NONE;
  return [...state.failures].filter(({ stage }) => stage.kind === 'failed' && stage.endpoint === number);
}

function outcomeOf({ stage }: Held): Outcome {
  return mustGet(stage.kind === 'failed' ? stage.outcome : undefined, 'the outcome of a failed item');
}

function worksAnywhere({ endpoints }: State): boolean {
  return endpoints.some(isClosed);
}

function worksElsewhere({ endpoints }: State, endpoint: Endpoint): boolean {
  return endpoints.some((other) => other !== endpoint && isClosed(other));
}
