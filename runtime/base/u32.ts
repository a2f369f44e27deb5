/** Attempts, epochs, worker numbers, counters and delays are stored in 32 bits. */
export const MAX_U32 = 0xffff_ffff;

export function isU32(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_U32;
}
