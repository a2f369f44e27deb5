import { FRAME_HEADER_BYTES } from '../log/segment.ts';

/** No output line is shorter: it has an id of 42 characters, the names of its members, and a custom_id. */
const LEAST_LINE_BYTES = 104;

/** No more items than these can have their results within so many bytes. */
export function mostItems(limitBytes: number): number {
  return Math.floor(limitBytes / (FRAME_HEADER_BYTES + LEAST_LINE_BYTES));
}

const WAYS = 'Give more with --inline-limit (results.inlineLimit) where the server has the memory';

/** Why an append is refused. */
export function fullReason(neededBytes: number, limitBytes: number): string {
  return `the results in Redis take at least ${neededBytes} bytes with those that came last, and --inline-limit allows ${limitBytes}. Everything that is recorded is kept. ${WAYS}, for the items that are left as well (\`rollout status\` says how many), and start again, which goes on`;
}

/** Why a run is refused before its first item; null where it may fit. */
export function tooManyItems(items: number, limitBytes: number): string | null {
  const most = mostItems(limitBytes);
  if (items <= most) return null;
  return `the results of ${items} items do not fit into Redis within --inline-limit, ${limitBytes} bytes: ${most} items at most could. ${WAYS}, or keep the results in a directory: without --results inline, and in a run of its own (--fresh; docs/redis.md says how to remove the keys of this one)`;
}
