import { ENTRY_BYTES, lengthAt, offsetAt } from './entry.ts';

/** Neighbouring lines that are read at once. */
export interface ReadRange {
  readonly offset: number;
  readonly length: number;
  /** Which of the given entries lie in it: `count` from position `first`. */
  readonly first: number;
  readonly count: number;
}

/** A span of several lines is no longer than this, so that one read holds little memory; a longer line is a span of its own. */
const LONGEST_SPAN_BYTES = 2 ** 20;
/** Reading over a gap (line ends, blank and invalid lines) is cheaper than a second read up to about this. */
const WIDEST_GAP_BYTES = 2 ** 12;

/** Joins lines that follow one another, in the order given, to as few reads as is sensible. `entries`: those of the lines, as they are written. */
export function readRangesOf(entries: Buffer): readonly ReadRange[] {
  const ranges: ReadRange[] = [];
  const count = entries.length / ENTRY_BYTES;
  for (let first = 0; first < count; ) {
    const range = rangeFrom(entries, first, count);
    ranges.push(range);
    first += range.count;
  }
  return ranges;
}

function rangeFrom(entries: Buffer, first: number, count: number): ReadRange {
  const offset = offsetAt(entries, first * ENTRY_BYTES);
  let end = offset + lengthAt(entries, first * ENTRY_BYTES);
  let next = first + 1;
  for (; next < count; next += 1) {
    const lineAt = offsetAt(entries, next * ENTRY_BYTES);
    const lineEnd = lineAt + lengthAt(entries, next * ENTRY_BYTES);
    if (lineAt < end || lineAt - end > WIDEST_GAP_BYTES || lineEnd - offset > LONGEST_SPAN_BYTES) break;
    end = lineEnd;
  }
  return { offset, length: end - offset, first, count: next - first };
}
