import type { Breaker, Busy } from './outage.ts';

/**
 * Whether the worker waits for its backend in vain (W5). An endpoint that only throttles is there, and yet of no more use than one that is
 * not: without a bound a run would wait for it for ever. Pure.
 */

/** What is asked here of an endpoint. */
interface Asked {
  readonly url: string;
  readonly breaker: Breaker;
  readonly busy: Busy | null;
  readonly executing: number;
}

/** An item that was refused for now is there again within this, where the server did not say when: its delay, and the way to it. */
const AGAIN_MS = 15_000;

interface Absence {
  readonly sinceMs: number;
  readonly words: string;
}

/** Why, where all endpoints have been away for `waitMs`; null where one has not. */
export function whyAway(endpoints: readonly Asked[], nowMs: number, waitMs: number): string | null {
  const sinceMs = awaySinceMs(endpoints, nowMs);
  if (sinceMs === null || nowMs - sinceMs < waitMs) return null;
  return endpoints.map((endpoint) => `${endpoint.url}: ${absenceOf(endpoint, nowMs)?.words}`).join('; ');
}

/** Since when all endpoints are away; null where one is not. */
export function awaySinceMs(endpoints: readonly Asked[], nowMs: number): number | null {
  const absences = endpoints.flatMap((endpoint) => absenceOf(endpoint, nowMs) ?? []);
  return absences.length < endpoints.length ? null : Math.max(...absences.map(({ sinceMs }) => sinceMs));
}

function absenceOf(endpoint: Asked, nowMs: number): Absence | null {
  const { breaker, busy } = endpoint;
  if (breaker.kind !== 'closed') {
    const { outage } = breaker;
    const sinceMs = Math.min(outage.sinceMs, busy?.sinceMs ?? outage.sinceMs);
    return outage.tries === 0 ? null : { sinceMs, words: `${outage.detail}, ${outage.tries} times` };
  }
  // What still runs there may become a result.
  if (busy === null || endpoint.executing > 0) return null;
  return { sinceMs: withoutIdleTime(busy, nowMs).sinceMs, words: `${busy.detail}, ${busy.times} times in a row without a result` };
}

/** `quietMs`: how long the server asked for quiet; `quietUntilMs`: until when nothing starts there. */
export function againByMs(nowMs: number, quietMs: number, quietUntilMs: number): number {
  return Math.max(nowMs + quietMs, quietUntilMs) + AGAIN_MS;
}

/** Time in which the endpoint is asked nothing does not count, beyond that for which its own refusals are the reason. */
export function withoutIdleTime(busy: Busy, nowMs: number): Busy {
  if (nowMs <= busy.againByMs) return busy;
  return { ...busy, sinceMs: busy.sinceMs + nowMs - busy.againByMs, againByMs: nowMs };
}
