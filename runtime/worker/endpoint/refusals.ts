import type { Breaker, Busy, Outage } from './outage.ts';

/**
 * Whom a refusal (401, 403, 404, ...) is meant for (W13). Only an answer to another request shows it: a key that has expired and a model
 * that one line may not use look the same. Pure.
 */
export interface Refusals {
  /** It has given a result to some item, so that what it refuses may be that item's fault. */
  hasAnswered: boolean;
  /** Refusals since its last result. */
  refusals: number;
  /** It has refused items and answered the known-good request after them: from then on a long row may be that of single items. */
  refusesSingly: boolean;
}

/**
 * single: other items may be answered, and will show it. everybody: no item would be answered. unclear: only the known-good request
 * shows it.
 */
export type Refused = 'single' | 'everybody' | 'unclear';

/** An endpoint that has answered may refuse single items; so many refusals in a row apply to every item. */
export const REFUSAL_ROW = 20;

/** `isCertain`: no further tries are needed to know that it is not the item's fault (a quota that is used up). */
export function whoIsRefused({ hasAnswered, refusals, refusesSingly }: Refusals, isCertain: boolean): Refused {
  if (isCertain) return 'everybody';
  if (!hasAnswered) return 'unclear';
  if (refusals < REFUSAL_ROW) return 'single';
  return refusesSingly ? 'unclear' : 'everybody';
}

/** An endpoint whose refusals are being looked into. */
interface Confirming extends Refusals {
  breaker: Breaker;
  failures: number;
  busy: Busy | null;
}

/** It has answered the known-good request after it refused items: it refuses single ones. */
export function onKnownGoodAnswered(endpoint: Confirming): void {
  Object.assign(endpoint, { hasAnswered: true, refusesSingly: true, failures: 0, refusals: 0, busy: null } satisfies Partial<Confirming>);
  endpoint.breaker = { kind: 'closed' };
}

/** So many tries give a gap below a second (readiness.ts). */
const SOON_TRIES = 3;

/**
 * It has not. `isRefusing`: it has refused that too, or there is no such request. The run pauses after a row of refusals (C3), which is to
 * take seconds: the next tries follow soon, until the row is twice as long.
 */
export function onKnownGoodFailed(endpoint: Confirming, detail: string, isRefusing: boolean): void {
  if (endpoint.breaker.kind !== 'confirming') return;
  const { outage } = endpoint.breaker;
  const isSoon = isRefusing && endpoint.refusals < 2 * REFUSAL_ROW;
  endpoint.breaker = openAgain(isSoon ? { ...outage, tries: Math.min(outage.tries, SOON_TRIES - 1) } : outage, detail, isRefusing);
}

/** After a try in vain. */
export function openAgain(outage: Outage, detail: string, isRefusing: boolean): Breaker {
  return { kind: 'open', outage: { ...outage, tries: outage.tries + 1, detail, isRefusing } };
}
