import { mustGet } from '../../base/assert.ts';
import { highHash, lowHash } from '../../model/tally.ts';
import type { Settlement, SettleVerdict } from '../contract.ts';
import type { NamesTable } from './names-table.ts';
import { requireIndex } from './packed-rows.ts';

/**
 * Settlements of one row's kind, of items that share a word of 32: lua/commit.lua takes all of them in one step where they are open in a
 * range of that worker. This is what makes a settlement cheap. The word's highest bit is its first item, as in a bitmap of Redis.
 */
export interface Segment {
  readonly first: Settlement;
  readonly word: number;
  mask: number;
  /** The exclusive or of the hashes of the outcomes (L39). */
  low: number;
  high: number;
  /** For each bit, from the highest, where its settlement stands in the request. */
  readonly places: (number | undefined)[];
}

const SEGMENT_BYTES = 27;

/** In the order of the request as far as it matters: an item that occurs twice is judged in its order. */
export function segmentsOf(settles: readonly Settlement[]): readonly Segment[] {
  return grouped(settles) ?? settles.map((one, place) => addTo(segmentFor(one), one, place));
}

/** Null where an item occurs twice. */
function grouped(settles: readonly Settlement[]): readonly Segment[] | null {
  const segments = new Map<string, Segment>();
  const seen = new Map<number, number>();
  let last: Segment | null = null;
  for (const [place, one] of settles.entries()) {
    const word = one.index >>> 5;
    const mask = seen.get(word) ?? 0;
    if ((mask & bitOf(one.index)) !== 0) return null;
    seen.set(word, mask | bitOf(one.index));
    if (last === null || !isOf(last, one)) last = find(segments, one);
    addTo(last, one, place);
  }
  return [...segments.values()];
}

function find(segments: Map<string, Segment>, one: Settlement): Segment {
  const { worker, attempt, claimEpoch } = one.row;
  const key = `${one.index >>> 5}/${attempt}/${claimEpoch}/${one.isResult ? 1 : 0}/${worker}`;
  const known = segments.get(key);
  if (known !== undefined) return known;
  const segment = segmentFor(one);
  segments.set(key, segment);
  return segment;
}

function segmentFor(first: Settlement): Segment {
  requireIndex(first.index);
  return { first, word: first.index >>> 5, mask: 0, low: 0, high: 0, places: [] };
}

function isOf({ first, word }: Segment, { index, row, isResult }: Settlement): boolean {
  const { worker, attempt, claimEpoch } = first.row;
  return (
    index >>> 5 === word && first.isResult === isResult && worker === row.worker && attempt === row.attempt && claimEpoch === row.claimEpoch
  );
}

function addTo(segment: Segment, { index, row }: Settlement, place: number): Segment {
  segment.mask |= bitOf(index);
  segment.low ^= lowHash(index, row.attempt);
  segment.high ^= highHash(index, row.attempt);
  segment.places[index & 31] = place;
  return segment;
}

function bitOf(index: number): number {
  return 1 << (31 - (index & 31));
}

export function packSegments(segments: readonly Segment[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(segments.length * SEGMENT_BYTES);
  let at = 0;
  for (const { first, word, mask, low, high } of segments) {
    at = bytes.writeUInt16LE(names.placeOf(first.row.worker), at);
    at = bytes.writeUInt8(first.isResult ? 1 : 0, at);
    for (const field of [first.row.attempt, first.row.claimEpoch, word, mask >>> 0, low >>> 0, high >>> 0])
      at = bytes.writeUInt32LE(field, at);
  }
  return bytes;
}

const VERDICTS: Readonly<Record<string, SettleVerdict>> = { a: 'accepted', r: 'recorded', s: 'stale' };

/** `replies`: for each segment 1, all were accepted, or a letter for each of its bits in order. */
export function verdictsOf(count: number, segments: readonly Segment[], replies: readonly unknown[]): readonly SettleVerdict[] {
  const verdicts: SettleVerdict[] = Array.from({ length: count }, () => 'accepted');
  for (const [at, { places }] of segments.entries()) {
    const reply = replies[at];
    if (reply === 1) continue;
    const present = places.filter((place) => place !== undefined);
    const letters = String(reply);
    for (const [n, place] of present.entries()) verdicts[place] = mustGet(VERDICTS[letters[n] ?? ''], 'a verdict on a settlement');
  }
  return verdicts;
}
