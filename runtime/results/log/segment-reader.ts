import { assert } from '../../base/assert.ts';
import type { Epoch } from '../../model/row.ts';
import type { PlaceReads, SegmentBytes } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import { FrameBlock } from './frame-block.ts';
import {
  decodeHeader,
  FRAME_HEADER_BYTES,
  type FrameProblem,
  frameEnd,
  frameFault,
  type HeaderProblem,
  SEGMENT_HEADER_BYTES,
} from './segment.ts';

/** Few reads of a large segment, and little memory; a longer line is read whole. */
const CHUNK_BYTES = 2 ** 20;

/** Frames that follow one another, valid until the next ones are read. */
export interface SegmentBlock {
  readonly frames: FrameBlock;
  /** Where the first byte of the block's buffer stands in the segment. */
  readonly base: number;
}

/** `elsewhere`: the header names another epoch or another place. */
export type SegmentProblem = FrameProblem | HeaderProblem | 'elsewhere';

/** Where the whole frames of a segment end. */
export interface SegmentEnd {
  readonly epoch: Epoch;
  /** For people: where the segment is. */
  readonly path: string;
  readonly offset: number;
  readonly segmentBytes: number;
  /** What stands there instead of a frame; null at the end of the segment. */
  readonly problem: SegmentProblem | null;
}

/**
 * Reads the frames of one segment in order, up to the first that is not whole (L17), in constant memory. It may be growing:
 * what it holds at the time of each read is read.
 */
export class SegmentReader {
  readonly #epoch: Epoch;
  readonly #path: string;
  readonly #placeId: string | null;
  readonly #bytes: SegmentBytes;
  #buffer: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #starts: Uint32Array = new Uint32Array(mostFrames(CHUNK_BYTES));
  /** Bytes of the buffer that hold what was read and not yet handed out; they stand at `#offset` of the segment. */
  #start = 0;
  #end = 0;
  #offset = 0;
  #isAtEnd = false;
  #problem: SegmentProblem | null = null;

  private constructor(epoch: Epoch, path: string, placeId: string | null, bytes: SegmentBytes) {
    this.#epoch = epoch;
    this.#path = path;
    this.#placeId = placeId;
    this.#bytes = bytes;
  }

  /** `placeId` null: any place will do. */
  static async open(place: Pick<PlaceReads, 'name' | 'read'>, epoch: Epoch, placeId: string | null): Promise<SegmentReader> {
    const reader = new SegmentReader(epoch, segmentPath(place, epoch), placeId, await place.read(epoch));
    await reader.#readHeader();
    return reader;
  }

  /** The next frames; null at the end. */
  async next(): Promise<SegmentBlock | null> {
    while (this.#problem === null) {
      const block = this.#takeFrames();
      if (block.frames.count > 0) return block;
      if (this.#problem !== null || this.#isAtEnd) break;
      await this.#fill();
    }
    return null;
  }

  async end(): Promise<SegmentEnd> {
    return {
      epoch: this.#epoch,
      path: this.#path,
      offset: this.#offset,
      segmentBytes: await this.#bytes.size(),
      problem: this.#problem,
    };
  }

  close(): Promise<void> {
    return this.#bytes.close();
  }

  async #readHeader(): Promise<void> {
    while (this.#end < SEGMENT_HEADER_BYTES && !this.#isAtEnd) await this.#fill();
    const header = decodeHeader(this.#buffer.subarray(0, this.#end));
    if (typeof header === 'string') this.#problem = header;
    else if (header.epoch !== this.#epoch || (this.#placeId !== null && header.placeId !== this.#placeId)) this.#problem = 'elsewhere';
    else this.#advance(SEGMENT_HEADER_BYTES);
  }

  #takeFrames(): SegmentBlock {
    const bytes = this.#buffer.subarray(0, this.#end);
    const base = this.#offset - this.#start;
    let count = 0;
    while (this.#start < this.#end) {
      const fault = frameFault(bytes, this.#start, this.#epoch);
      if (fault === null) {
        this.#starts[count++] = this.#start;
        this.#advance(frameEnd(bytes, this.#start) - this.#start);
        continue;
      }
      if (fault.kind === 'bad') this.#problem = fault.problem;
      else if (this.#isAtEnd) this.#problem = 'torn';
      else if (count === 0) this.#makeRoom(fault.bytes);
      break;
    }
    return { frames: new FrameBlock(bytes, this.#starts, count), base };
  }

  #advance(bytes: number): void {
    this.#start += bytes;
    this.#offset += bytes;
  }

  /** Moves what is left to the front, so that `bytes` fit behind it. */
  #makeRoom(bytes: number): void {
    assert(bytes >= FRAME_HEADER_BYTES, 'a frame needs at least its header');
    const isLonger = bytes > this.#buffer.length;
    const target = isLonger ? Buffer.allocUnsafe(bytes) : this.#buffer;
    if (isLonger) this.#starts = new Uint32Array(mostFrames(bytes));
    this.#buffer.copy(target, 0, this.#start, this.#end);
    this.#buffer = target;
    this.#end -= this.#start;
    this.#start = 0;
  }

  async #fill(): Promise<void> {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    const position = this.#offset + (this.#end - this.#start);
    const filled = await this.#bytes.read(this.#buffer.subarray(this.#end), position);
    this.#isAtEnd = filled === 0;
    this.#end += filled;
  }
}

function mostFrames(bytes: number): number {
  return Math.ceil(bytes / FRAME_HEADER_BYTES);
}
