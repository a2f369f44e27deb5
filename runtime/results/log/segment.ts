import { crc32 } from 'node:zlib';
import { assert } from '../../base/assert.ts';
import type { Attempt, Epoch, ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';
import type { Frame } from './contract.ts';

/**
 * The bytes of a segment. All numbers are unsigned 32-bit, little-endian.
 *
 *   header, 64 bytes:  magic (8) · version · epoch · place id (32, zero-padded) · zeros (12) · CRC-32 of the 60 bytes before
 *   frame:             CRC-32 of all that follows · length of the line · index · attempt · epoch · kind (1) · zeros (3) · line
 *
 * The files of a worker's outbox have the same form (worker/outbox): the epoch is the number of the file, and more about the outcome
 * stands before the line.
 *
 * A process may die, or the power may fail, in the middle of a write; then the tail is cut, zero or garbage. Nobody repairs it
 * (L17): a reader goes by the checksums and stops at the first frame that is not whole. Nothing behind it was ever acknowledged,
 * since a log whose write failed writes no more (L18).
 */

export const SEGMENT_VERSION = 2;
export const SEGMENT_HEADER_BYTES = 64;
export const FRAME_HEADER_BYTES = 24;
/** A longer line is taken for garbage; far above what one message of the wire can carry. */
export const MAX_FRAME_BYTES: number = 256 * 2 ** 20;

const MAGIC = Buffer.from('ROLLSEG\n', 'latin1');
const PLACE_ID_BYTES = 32;
const HEADER_CRC_AT = 60;

/** 0 is not a kind, so that a zero-filled frame is never a whole one. */
const KIND_BYTE: Readonly<Record<OutcomeKind, number>> = { result: 1, error: 2 };
const KINDS: readonly (OutcomeKind | undefined)[] = [undefined, 'result', 'error'];

export interface SegmentHeader {
  readonly epoch: Epoch;
  readonly placeId: string;
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const placeId = Buffer.from(header.placeId, 'utf8');
  assert(placeId.length > 0 && placeId.length <= PLACE_ID_BYTES, 'a place id has 1 to 32 bytes');
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(SEGMENT_VERSION, 8);
  bytes.writeUInt32LE(header.epoch, 12);
  placeId.copy(bytes, 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
  return bytes;
}

export type HeaderProblem = 'torn' | 'checksum' | 'not-a-segment' | 'version';

export function decodeHeader(bytes: Buffer): SegmentHeader | HeaderProblem {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'torn';
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'not-a-segment';
  if (bytes.readUInt32LE(HEADER_CRC_AT) !== crc32(bytes.subarray(0, HEADER_CRC_AT))) return 'checksum';
  if (bytes.readUInt32LE(8) !== SEGMENT_VERSION) return 'version';
  const placeId = bytes.subarray(16, 16 + PLACE_ID_BYTES);
  const end = placeId.indexOf(0);
  return { epoch: bytes.readUInt32LE(12), placeId: placeId.toString('utf8', 0, end < 0 ? PLACE_ID_BYTES : end) };
}

export function frameBytes(frame: Frame): number {
  return FRAME_HEADER_BYTES + bodyBytes(frame);
}

function bodyBytes({ detail, line }: Frame): number {
  return (detail?.length ?? 0) + line.length;
}

/** All frames in one buffer, ready for one write. */
export function encodeFrames(epoch: Epoch, frames: readonly Frame[]): Buffer {
  const bytes = Buffer.allocUnsafe(frames.reduce((sum, frame) => sum + frameBytes(frame), 0));
  let at = 0;
  for (const frame of frames) at = encodeFrame(bytes, at, epoch, frame);
  return bytes;
}

/** Writes one frame at `at`; returns where it ends. */
function encodeFrame(bytes: Buffer, at: number, epoch: Epoch, frame: Frame): number {
  assert(bodyBytes(frame) <= MAX_FRAME_BYTES, 'an output line is longer than a frame may be');
  const end = at + frameBytes(frame);
  bytes.writeUInt32LE(bodyBytes(frame), at + 4);
  bytes.writeUInt32LE(frame.index, at + 8);
  bytes.writeUInt32LE(frame.attempt, at + 12);
  bytes.writeUInt32LE(epoch, at + 16);
  bytes.writeUInt32LE(KIND_BYTE[frame.kind], at + 20);
  if (frame.detail !== undefined) bytes.set(frame.detail, at + FRAME_HEADER_BYTES);
  bytes.set(frame.line, end - frame.line.length);
  bytes.writeUInt32LE(checksum(bytes, at + 4, end), at);
  return end;
}

/** Why a frame is not whole. `epoch`: bytes of another segment, as a disk that did not clear its blocks may show. */
export type FrameProblem = 'torn' | 'zeros' | 'length' | 'checksum' | 'epoch' | 'kind';

/** Why no whole frame begins in a place. */
export type FrameFault =
  /** The frame, or its header, needs so many bytes from `at`; at the end of a file this is a torn tail. */
  { readonly kind: 'more'; readonly bytes: number } | { readonly kind: 'bad'; readonly problem: FrameProblem };

export type Decoded = { readonly kind: 'frame'; readonly frame: Frame; readonly bytes: number } | FrameFault;

/** Reads the frame that begins at `at` in `bytes`; its line is a view, not a copy. */
export function decodeFrame(bytes: Buffer, at: number, epoch: Epoch): Decoded {
  const fault = frameFault(bytes, at, epoch);
  if (fault !== null) return fault;
  const end = frameEnd(bytes, at);
  const line = bytes.subarray(at + FRAME_HEADER_BYTES, end);
  const frame = { index: frameIndex(bytes, at), attempt: frameAttempt(bytes, at), kind: frameKind(bytes, at), line };
  return { kind: 'frame', frame, bytes: end - at };
}

/** Null where a whole frame of this epoch begins at `at` in `bytes`; then its fields can be read by the functions below. */
export function frameFault(bytes: Buffer, at: number, epoch: Epoch): FrameFault | null {
  if (bytes.length - at < FRAME_HEADER_BYTES) return { kind: 'more', bytes: FRAME_HEADER_BYTES };
  if (lineBytesAt(bytes, at) > MAX_FRAME_BYTES) return { kind: 'bad', problem: 'length' };
  const end = frameEnd(bytes, at);
  if (end > bytes.length) return { kind: 'more', bytes: end - at };
  const problem = frameProblem(bytes, at, end, epoch);
  return problem === null ? null : { kind: 'bad', problem };
}

export function frameEnd(bytes: Buffer, at: number): number {
  return at + FRAME_HEADER_BYTES + lineBytesAt(bytes, at);
}

export function frameIndex(bytes: Buffer, at: number): ItemIndex {
  return bytes.readUInt32LE(at + 8);
}

export function frameAttempt(bytes: Buffer, at: number): Attempt {
  return bytes.readUInt32LE(at + 12);
}

export function frameKind(bytes: Buffer, at: number): OutcomeKind {
  const kind = KINDS[bytes.readUInt32LE(at + 20)];
  assert(kind !== undefined, 'a whole frame has a known kind');
  return kind;
}

/** Whether a frame of this epoch may begin at `at`, by its header alone: cheap, and for all but frames nearly always false. */
export function mayBeginFrame(bytes: Buffer, at: number, epoch: Epoch): boolean {
  if (bytes.length - at < FRAME_HEADER_BYTES || bytes.readUInt32LE(at + 16) !== epoch) return false;
  return KINDS[bytes.readUInt32LE(at + 20)] !== undefined && bytes.readUInt32LE(at + 4) <= MAX_FRAME_BYTES;
}

function lineBytesAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4);
}

function frameProblem(bytes: Buffer, at: number, end: number, epoch: Epoch): FrameProblem | null {
  if (bytes.readUInt32LE(at) !== checksum(bytes, at + 4, end)) return isZeros(bytes, at, at + FRAME_HEADER_BYTES) ? 'zeros' : 'checksum';
  if (bytes.readUInt32LE(at + 16) !== epoch) return 'epoch';
  return KINDS[bytes.readUInt32LE(at + 20)] === undefined ? 'kind' : null;
}

/** A plain array of bytes is made in half the time of a Buffer, and each record has one. */
function checksum(bytes: Buffer, start: number, end: number): number {
  return crc32(new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
}

function isZeros(bytes: Buffer, start: number, end: number): boolean {
  return bytes.subarray(start, end).every((byte) => byte === 0);
}
