import type { Entry } from './entry.ts';

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

/** Joins entries that follow one another, in the order given, to as few reads as is sensible. */
export function readRangesOf(entries: readonly Entry[]): readonly ReadRange[] {
  const ranges: GrowingRange[] = [];
  for (const [at, entry] of entries.entries()) {
    const last = ranges.at(-1);
    if (last === undefined || !isNeighbour(last, entry)) ranges.push({ offset: entry.offset, length: entry.length, first: at, count: 1 });
    else {
      last.length = entry.offset + entry.length - last.offset;
      last.count += 1;
    }
  }
  return ranges;
}

type GrowingRange = { -readonly [K in keyof ReadRange]: ReadRange[K] };

function isNeighbour(range: ReadRange, entry: Entry): boolean {
  const gapBytes = entry.offset - (range.offset + range.length);
  const length = entry.offset + entry.length - range.offset;
  return gapBytes >= 0 && gapBytes <= WIDEST_GAP_BYTES && length <= LONGEST_SPAN_BYTES;
}
