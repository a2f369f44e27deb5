/** Where the outcomes of a run are kept: in its state directory, or beside its ledger on the Redis server (`inline`). */
export type ResultsKind = 'directory' | 'inline';

/** How much of their limit the results of a run in Redis take. */
export interface ResultsRoom {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** A server of some gigabytes does not notice it, and a list of some ten thousand answers fits. */
export const INLINE_LIMIT_BYTES: number = 64 * 2 ** 20;

/** The limit, in bytes, that a coordinator's termination message says was reached; null where it says something else. */
export function limitReached(text: string): number | null {
  const [, bytes] = LIMIT_REACHED.exec(text) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

const LIMIT_REACHED = /--inline-limit(?: allows|,) (\d+)\b/;

const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A limit as a spec on Kubernetes has it, such as `256Mi`; the usual one where it has none. */
export function quantityBytes(quantity: string | undefined): number {
  const [, number = '', unit = ''] = /^(\d+)(Ki|Mi|Gi)$/.exec(quantity ?? '') ?? [];
  return number === '' ? INLINE_LIMIT_BYTES : Number(number) * (UNITS[unit] ?? 1);
}
