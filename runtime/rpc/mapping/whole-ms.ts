import { MAX_U32 } from '../../base/u32.ts';

/** The wire has whole milliseconds in 32 bits; measured times are fractions. */
export function wholeMs(ms: number): number {
  return Math.min(MAX_U32, Math.max(0, Math.round(ms)));
}
