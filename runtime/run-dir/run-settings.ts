import { COORDINATOR } from '../settings/coordinator.ts';
import { flagOf } from '../settings/flag.ts';

/** Settings that shape results, and so are a part of a run's identity beside its input. The server's address, its key, workers and concurrency do not, and may change from start to start. */
export interface RunSettings {
  readonly raw: boolean;
  readonly limit: number | null;
  /** A longer line is an error; so it decides, as the two above, what the items are. */
  readonly maxLineBytes: number;
  /** Fills `body.model` where the line has none. */
  readonly model: string | null;
  /** Replaces `body.model`. */
  readonly overrideModel: string | null;
}

/** One line of the table that a person sees. */
export interface Difference {
  readonly name: string;
  readonly found: string;
  readonly wanted: string;
}

/** How each setting is called where a person sets it. */
const NAMES: Readonly<Record<keyof RunSettings, string>> = {
  raw: flagOf(COORDINATOR.raw.flags),
  limit: flagOf(COORDINATOR.limit.flags),
  maxLineBytes: 'maxLineBytes',
  model: flagOf(COORDINATOR['results.model'].flags),
  overrideModel: flagOf(COORDINATOR['results.overrideModel'].flags),
};

/** What differs of what shapes results; empty for the same run. The input itself is compared by `checkInput`. */
export function compareSettings(found: RunSettings, wanted: RunSettings): readonly Difference[] {
  return (Object.keys(NAMES) as (keyof RunSettings)[])
    .filter((key) => found[key] !== wanted[key])
    .map((key) => ({ name: NAMES[key], found: shown(found[key]), wanted: shown(wanted[key]) }));
}

/** Do both name the same items of the same input? `more`: those of `found`, and others behind them. */
export function compareItems(found: RunSettings, wanted: RunSettings): 'same' | 'more' | 'different' {
  if (found.raw !== wanted.raw || found.maxLineBytes !== wanted.maxLineBytes) return 'different';
  if (found.limit === wanted.limit) return 'same';
  return found.limit !== null && (wanted.limit === null || wanted.limit > found.limit) ? 'more' : 'different';
}

function shown(value: string | number | boolean | null): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
