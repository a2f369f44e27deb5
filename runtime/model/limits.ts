/** Longer input lines become errors. 8 MiB: a line travels in a message of at most 16 MiB, beside others. */
export const MAX_LINE_BYTES: number = 8 * 1024 ** 2;

/** Items that one worker executes at a time: as many as one poll carries. */
export const MAX_CONCURRENCY = 4_096;

/** The highest `maxAttempts`: what has failed so often will not succeed, and each failure is a transaction of the ledger. */
export const MOST_ATTEMPTS = 1_000;
