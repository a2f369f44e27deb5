import type { RunStatus } from '../api/types.gen.ts';

/** Counts that only have changed are written this often at most. */
export const COUNTS_MS = 5_000;

/** Whether a status has to be written now. `sinceMs`: since the last one was, Infinity where none was. */
export function isStatusDue(before: RunStatus | undefined, after: RunStatus, sinceMs: number): boolean {
  if (isSameStatus(before, after)) return false;
  return sinceMs >= COUNTS_MS || textOf(withoutCounts(before ?? {})) !== textOf(withoutCounts(after));
}

export function isSameStatus(one: RunStatus | undefined, other: RunStatus | undefined): boolean {
  return textOf(one ?? {}) === textOf(other ?? {});
}

function withoutCounts({ items: _items, progress: _progress, rate: _rate, eta: _eta, results: _results, ...rest }: RunStatus): RunStatus {
  return rest;
}

/** Equal for equal values, in whatever order their keys stand. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
