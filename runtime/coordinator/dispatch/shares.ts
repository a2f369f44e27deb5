import type { Worker } from '../state/worker.ts';

/** What one worker gets in a round of claims: `free` items at most. */
export interface Share {
  readonly worker: Worker;
  free: number;
}

/**
 * How many items each worker gets: all it has room for while there is plenty. Where there is less, slots that are idle come first, and
 * what a worker only holds ready gets the rest: an item that would wait there may start elsewhere at once. Either is shared equally,
 * so that the first worker in line does not take the tail alone.
 */
export function shareOut(available: number, withCapacity: readonly Readonly<Share>[]): Share[] {
  if (withCapacity.reduce((sum, { free }) => sum + free, 0) <= available) return withCapacity.map((share) => ({ ...share }));
  const slots = withCapacity.map(idleSlotsOf);
  const first = spread(available, slots);
  const rest = spread(
    available - first.reduce((sum, part) => sum + part, 0),
    withCapacity.map(({ free }, at) => free - (first[at] ?? 0)),
  );
  return withCapacity.map(({ worker }, at) => ({ worker, free: (first[at] ?? 0) + (rest[at] ?? 0) }));
}

/** As far as is known here: rows whose outcome is being recorded count as running. */
function idleSlotsOf({ worker, free }: Readonly<Share>): number {
  return Math.min(free, Math.max(0, worker.concurrency - worker.items.size));
}

/** Equal parts; what one has no use for goes to the others. An odd one goes to the first in line. */
function spread(amount: number, wanted: readonly number[]): readonly number[] {
  const parts = wanted.map(() => 0);
  const byNeed = [...wanted.entries()].toSorted(([a, less], [b, more]) => less - more || b - a);
  let left = amount;
  for (const [n, [at, most]] of byNeed.entries()) {
    const part = Math.min(most, Math.floor(left / (wanted.length - n)));
    parts[at] = part;
    left -= part;
  }
  return parts;
}
