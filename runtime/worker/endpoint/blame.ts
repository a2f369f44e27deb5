/**
 * Whose fault a failed execution is.
 *
 * - item: final for the item, whichever endpoint answers.
 * - request: the server refuses this request. Final for the item with its response; a long row without any success is the endpoint's.
 * - unknown: the item's or the endpoint's. It counts against the item only while the endpoint answers other items well.
 * - endpoint: no item would fare better there: a wrong key, path or address.
 */
export type Blame = 'item' | 'request' | 'unknown' | 'endpoint';

/** Key, payment, path, method, proxy and law: none of them depends on the item. */
const OF_THE_ENDPOINT: readonly number[] = [401, 402, 403, 404, 405, 407, 410, 451];
/** A time-out and a conflict pass. */
const PASSING: readonly number[] = [408, 409];
/** Gateways tell these of a single request, and tell them with a web page. */
const TOLD_WITH_PAGES: readonly number[] = [408, 413, 414, 431];

/** For every status that is neither a success nor a throttle. `isPage`: the body is a web page, so something other than the API answered. */
export function blameOf(status: number, isPage: boolean): Blame {
  if (status >= 500 || status < 300) return 'unknown';
  if (status < 400 || OF_THE_ENDPOINT.includes(status)) return 'endpoint';
  if (isPage && !TOLD_WITH_PAGES.includes(status)) return 'endpoint';
  return PASSING.includes(status) ? 'unknown' : 'request';
}
