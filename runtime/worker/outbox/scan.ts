import type { Outcome } from '../../model/session.ts';
import { decodeFrame, decodeHeader, mayBeginFrame, SEGMENT_HEADER_BYTES } from '../../results/log/segment.ts';
import { fromFrame } from './outcome-frame.ts';

/** Names what the file is, in the place of the result log's identity. */
export const OUTBOX_PLACE = 'outbox';

export const NOT_WHOLE = 'a record is not whole, and later ones are';

/** `damaged`: something that was on disk is not whole any more, from byte `at` on. */
export type Scan = ({ readonly kind: 'whole' } & WholeFile) | { readonly kind: 'damaged'; readonly at: number; readonly problem: string };

export interface WholeFile {
  readonly outcomes: readonly Outcome[];
  /** Up to here nothing is missing. */
  readonly wholeBytes: number;
  /** As many bytes of the file with the number below were on disk when this one was begun; 0 where that is not known. */
  readonly before: number;
}

/**
 * The outcomes in one file of the outbox. A process may have died in the middle of its last write, of which any part may be missing then:
 * of that batch the frames that are whole are taken. A batch is only written once the one before it is on disk; so a frame that is not
 * whole, with one of a later batch behind it, is damage. The lines are views of `bytes`.
 */
export function scanFile(bytes: Buffer, number: number): Scan {
  const header = decodeHeader(bytes);
  // Frames follow only once the header is on disk.
  if (typeof header === 'string' && bytes.length <= SEGMENT_HEADER_BYTES && header !== 'version')
    return { kind: 'whole', outcomes: [], wholeBytes: 0, before: 0 };
  if (typeof header === 'string') return { kind: 'damaged', at: 0, problem: `its header is not whole (${header})` };
  if (header.epoch !== number || header.placeId !== OUTBOX_PLACE)
    return { kind: 'damaged', at: 0, problem: 'its header is that of another file' };
  return scanFrames(bytes, number);
}

function scanFrames(bytes: Buffer, number: number): Scan {
  const outcomes: Outcome[] = [];
  let badAt: number | null = null;
  let before = 0;
  for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; ) {
    const decoded = decodeFrame(bytes, at, number);
    if (decoded.kind !== 'frame') {
      badAt ??= at;
      at = nextFrame(bytes, at + 1, number);
      continue;
    }
    const stored = fromFrame(decoded.frame);
    if (badAt !== null && stored.batchAt > badAt) return { kind: 'damaged', at: badAt, problem: NOT_WHOLE };
    outcomes.push(stored.outcome);
    before = stored.before;
    at += decoded.bytes;
  }
  return { kind: 'whole', outcomes, wholeBytes: badAt ?? bytes.length, before };
}

/** The first of the files, in the order of their numbers, that has lost what was on disk when the next one was begun; null for none. */
export function cutShort<F extends { readonly number: number; readonly scan: WholeFile }>(files: readonly F[]): F | null {
  return (
    files.find((file, at) => {
      const next = files[at + 1];
      return next?.number === file.number + 1 && file.scan.wholeBytes < next.scan.before;
    }) ?? null
  );
}

/** Where a frame may begin, from `from` on; the end of the bytes where none does. */
function nextFrame(bytes: Buffer, from: number, number: number): number {
  let at = from;
  while (at < bytes.length && !mayBeginFrame(bytes, at, number)) at += 1;
  return at;
}
