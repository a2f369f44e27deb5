import { type Endpoint, outageOf } from './endpoint.ts';

/**
 * Whether the worker waits for its backend in vain (W5). An endpoint that only throttles is there, and yet of no more use than one that is
 * not: without a bound a run would wait for it for ever. Pure.
 */

interface Absence {
  readonly sinceMs: number;
  readonly words: string;
}

/** Why, where all endpoints have been away for `waitMs`; null where one has not. */
export function whyAway(endpoints: readonly Endpoint[], nowMs: number, waitMs: number): string | null {
  const sinceMs = awaySinceMs(endpoints);
  if (sinceMs === null || nowMs - sinceMs < waitMs) return null;
  return endpoints.map((endpoint) => `${endpoint.url}: ${absenceOf(endpoint)?.words}`).join('; ');
}

/** Since when all endpoints are away; null where one is not. */
export function awaySinceMs(endpoints: readonly Endpoint[]): number | null {
  const absences = endpoints.flatMap((endpoint) => absenceOf(endpoint) ?? []);
  return absences.length < endpoints.length ? null : Math.max(...absences.map(({ sinceMs }) => sinceMs));
}

function absenceOf(endpoint: Endpoint): Absence | null {
  const outage = outageOf(endpoint);
  const { busy } = endpoint;
  if (outage !== null) {
    const sinceMs = Math.min(outage.sinceMs, busy?.sinceMs ?? outage.sinceMs);
    return outage.tries === 0 ? null : { sinceMs, words: `${outage.detail}, ${outage.tries} times` };
  }
  // What still runs there may become a result.
  if (busy === null || endpoint.executing > 0) return null;
  return { sinceMs: busy.sinceMs, words: `${busy.detail}, ${busy.times} times in a row without a result` };
}
