import type { Entry } from './entry.ts';

/** Neighbouring lines that are read at once. */
export interface Span {
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
export function spansOf(entries: readonly Entry[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [at, entry] of entries.entries()) {
    const joined = joinedSpan(spans.at(-1), entry);
    if (joined === null) spans.push({ offset: entry.offset, length: entry.length, first: at, count: 1 });
    else spans[spans.length - 1] = joined;
  }
  return spans;
}

function joinedSpan(span: Span | undefined, entry: Entry): Span | null {
  if (span === undefined) return null;
  const gapBytes = entry.offset - (span.offset + span.length);
  const length = entry.offset + entry.length - span.offset;
  if (gapBytes < 0 || gapBytes > WIDEST_GAP_BYTES || length > LONGEST_SPAN_BYTES) return null;
  return { ...span, length, count: span.count + 1 };
}
