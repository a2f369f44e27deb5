import type { Frame } from '../../runtime/results/log/contract.ts';

/** The frame that the killed writer appends for an index: known contents, of sizes from nothing to a third of a megabyte. */
export function logFrame(index: number): Frame {
  const bytes = index % 5 === 0 ? (index * 7919) % 300_000 : index % 400;
  return { index, attempt: 1 + (index % 3), kind: index % 4 === 0 ? 'error' : 'result', line: Buffer.alloc(bytes, `${index};`) };
}
