/** Settings that shape results, and so are a part of a run's identity beside its input. The server's address, its key, workers and concurrency do not, and may change from start to start. */
export interface RunSettings {
  readonly raw: boolean;
  readonly limit: number | null;
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
  raw: '--raw',
  limit: '--limit',
  model: '--model',
  overrideModel: '--override-model',
};

/** What differs of what shapes results; empty for the same run. The input itself is compared by `checkInput`. */
export function compareSettings(found: RunSettings, wanted: RunSettings): readonly Difference[] {
  return (Object.keys(NAMES) as (keyof RunSettings)[])
    .filter((key) => found[key] !== wanted[key])
    .map((key) => ({ name: NAMES[key], found: shown(found[key]), wanted: shown(wanted[key]) }));
}

function shown(value: string | number | boolean | null): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
