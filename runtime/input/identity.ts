import { createHash } from 'node:crypto';
import { canonicalJson } from './content-id.ts';

/** Settings that shape results. The server's address, its key, workers and concurrency do not, and may change from start to start. */
export interface RunSettings {
  readonly raw: boolean;
  readonly limit: number | null;
  /** Fills `body.model` where the line has none. */
  readonly model: string | null;
  /** Replaces `body.model`. */
  readonly overrideModel: string | null;
}

/** What makes two starts the same run: the input's bytes and what shapes results. */
export interface RunIdentity extends RunSettings {
  /** SHA-256 of the input, hexadecimal; null while nobody has read it to its end. */
  readonly inputSha256: string | null;
}

/** One line of the table that a person sees. */
export interface Difference {
  readonly name: string;
  readonly found: string;
  readonly wanted: string;
}

export function describeRun(inputSha256: string | null, settings: RunSettings): RunIdentity {
  const { raw, limit, model, overrideModel } = settings;
  return { inputSha256, raw, limit, model, overrideModel };
}

/** SHA-256 over the identity in one spelling, hexadecimal. */
export function identityHash(identity: RunIdentity): string {
  return createHash('sha256').update(canonicalJson(identity), 'utf8').digest('hex');
}

/** How each part of an identity is called where a person sets it. */
const NAMES: Readonly<Record<keyof RunIdentity, string>> = {
  inputSha256: 'input (SHA-256)',
  raw: '--raw',
  limit: '--limit',
  model: '--model',
  overrideModel: '--override-model',
};

/** What differs; empty for the same run. An input hash that is not known on either side is not compared: see `checkInput`. */
export function compareIdentity(found: RunIdentity, wanted: RunIdentity): readonly Difference[] {
  const isHashKnown = found.inputSha256 !== null && wanted.inputSha256 !== null;
  return (Object.keys(NAMES) as (keyof RunIdentity)[])
    .filter((key) => found[key] !== wanted[key] && (key !== 'inputSha256' || isHashKnown))
    .map((key) => ({ name: NAMES[key], found: shown(found[key]), wanted: shown(wanted[key]) }));
}

function shown(value: string | number | boolean | null): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
