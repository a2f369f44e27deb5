/** Longer input lines become errors. 8 MiB: a line travels in a message of at most 16 MiB, beside others. */
export const MAX_LINE_BYTES: number = 8 * 1024 ** 2;
export const MOST_LINE_FORM = 'must be at most 8MiB, half of what a message may hold';

/** Items that one worker executes at a time: as many as one poll carries. */
export const MAX_CONCURRENCY = 4_096;

/** The highest `maxAttempts`: what has failed so often will not succeed, and each failure is a transaction of the ledger. */
export const MOST_ATTEMPTS = 1_000;

/** An answer travels to the coordinator in one message of at most 16 MiB, with the line's other members around it. */
export const MOST_ANSWER_BYTES: number = 14 * 1024 ** 2;
export const MOST_ANSWER_FORM = 'must be more than 0 and at most 14MiB: a result travels in one message of 16 MiB';
