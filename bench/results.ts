import type { Scale } from './sizes.ts';
import type { Rounds } from './statistics.ts';

/** What is kept of the measurements, for the table and for comparisons. A part that is measured again takes the place of its last one. */
export interface Results {
  readonly parts: Readonly<Record<string, PartResult>>;
}

export interface PartResult {
  readonly scale: Scale;
  /** The day, as 2026-01-31. */
  readonly day: string;
  readonly machine: string;
  readonly rounds: Rounds;
}

/** In the order of `names`; parts that are not measured any more are left out. */
export function merged(before: Results | null, now: Readonly<Record<string, PartResult>>, names: readonly string[]): Results {
  const parts = { ...before?.parts, ...now };
  return { parts: Object.fromEntries(names.flatMap((name) => (parts[name] === undefined ? [] : [[name, parts[name]]]))) };
}
