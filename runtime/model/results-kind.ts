/** Where the outcomes of a run are kept: in its state directory, or beside its ledger on the Redis server (`inline`). */
export type ResultsKind = 'directory' | 'inline';

/** A server of some gigabytes does not notice it, and a list of some ten thousand answers fits. */
export const INLINE_LIMIT_BYTES: number = 64 * 2 ** 20;
