/** Attempts, epochs, worker numbers, counters and delays are stored in 32 bits (L9). */
export const MAX_U32 = 0xffff_ffff;

/** Highest index of an item; one less than 2^32 - 1, so that a cursor behind it still fits in 32 bits. */
export const MAX_INDEX: number = MAX_U32 - 1;

export function isU32(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_U32;
}
