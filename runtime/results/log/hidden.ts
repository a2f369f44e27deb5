import type { PlaceReads, SegmentBytes } from '../place/contract.ts';
import type { Frame } from './contract.ts';
import type { Location } from './locations.ts';
import type { Locator } from './locator.ts';
import { decodeFrame, FRAME_HEADER_BYTES, frameBytes, mayBeginFrame } from './segment.ts';
import type { SegmentEnd } from './segment-reader.ts';

/**
 * Records behind a bad frame. Readers stop at the first one that is not whole (L17), and whole frames may lie behind it for two
 * reasons. The power failed in the middle of a write, whose pages reach the disk in any order: these frames were never
 * acknowledged and mean nothing. Or a frame was damaged long after it was synced, and hides accepted records.
 *
 * The item tells them apart. A frame is appended only while its item is open and no other outcome of it is under way (L19). So
 * where the ledger calls the item terminal and no frame of it is found further on in the log, then the accepted frame is this one
 * or another that is hidden as well: the frame that would be taken for the record is an older one, which was refused.
 */
export interface HiddenRecord {
  readonly index: number;
  /** Of the segment. */
  readonly path: string;
  /** Where the bad frame begins. */
  readonly badAt: number;
  readonly hiddenAt: number;
}

/** The first record that is hidden behind damage; null where there is none. Costs nothing where every segment ends well. */
export async function findHiddenRecord(locator: Locator, place: Pick<PlaceReads, 'read'>): Promise<HiddenRecord | null> {
  for await (const hidden of hiddenRecords(locator, place)) return hidden;
  return null;
}

/** All of them; an item may come twice. */
export async function* hiddenRecords(locator: Locator, place: Pick<PlaceReads, 'read'>): AsyncGenerator<HiddenRecord, void> {
  for (const end of locator.ends) {
    if (end.problem === null) continue;
    for await (const { frame, offset } of framesBehind(place, end)) {
      const { expected, found } = frame.index < locator.items ? locator.at(frame.index) : { expected: null, found: null };
      if (expected === null || found === null || !isBefore(found, end, offset)) continue;
      yield { index: frame.index, path: end.path, badAt: end.offset, hiddenAt: offset };
    }
  }
}

export function hiddenText({ index, path, badAt, hiddenAt }: HiddenRecord): string {
  return `item index ${index}: its record is at byte ${hiddenAt} of ${path}, but bytes from ${badAt} on were damaged and hide it`;
}

function isBefore(found: Location, { epoch }: SegmentEnd, offset: number): boolean {
  return found.epoch < epoch || (found.epoch === epoch && found.offset < offset);
}

/** Few reads of much damage; a longer frame is read by itself. */
const WINDOW_BYTES: number = 4 * 2 ** 20;

interface PlacedFrame {
  readonly frame: Frame;
  /** Where it begins in its segment. */
  readonly offset: number;
}

/** Whole frames anywhere behind the bad one. */
async function* framesBehind(place: Pick<PlaceReads, 'read'>, end: SegmentEnd): AsyncGenerator<PlacedFrame, void> {
  const bytes = await place.read(end.epoch);
  try {
    for (let at = end.offset + 1; at + FRAME_HEADER_BYTES <= end.segmentBytes; ) {
      const window = await windowOf(bytes, at, Math.min(WINDOW_BYTES, end.segmentBytes - at));
      // The segment may have been cut since its length was read.
      if (window.length < FRAME_HEADER_BYTES) return;
      let read = 0;
      for (let begin = nextHeader(window, 0, end); begin !== null; begin = nextHeader(window, read, end)) {
        const frame = await frameAt(bytes, window, begin, at, end);
        if (frame !== null) yield { frame, offset: at + begin };
        read = begin + (frame === null ? 1 : frameBytes(frame));
      }
      // A header may begin in this window and end in the next one.
      at += Math.max(read, window.length - FRAME_HEADER_BYTES + 1);
    }
  } finally {
    await bytes.close();
  }
}

function nextHeader(window: Buffer, from: number, { epoch }: SegmentEnd): number | null {
  for (let at = from; at + FRAME_HEADER_BYTES <= window.length; at++) if (mayBeginFrame(window, at, epoch)) return at;
  return null;
}

/** The frame that may begin in the window, which stands at `windowAt` of the segment; null where there is none. */
async function frameAt(
  bytes: SegmentBytes,
  window: Buffer,
  begin: number,
  windowAt: number,
  { epoch, segmentBytes }: SegmentEnd,
): Promise<Frame | null> {
  let decoded = decodeFrame(window, begin, epoch);
  if (decoded.kind === 'more' && windowAt + begin + decoded.bytes <= segmentBytes)
    decoded = decodeFrame(await windowOf(bytes, windowAt + begin, decoded.bytes), 0, epoch);
  return decoded.kind === 'frame' ? decoded.frame : null;
}

/** So many bytes of the segment from `position` on, or as many as there are. */
async function windowOf(bytes: SegmentBytes, position: number, length: number): Promise<Buffer> {
  const window = Buffer.allocUnsafe(length);
  return window.subarray(0, await bytes.read(window, position));
}
