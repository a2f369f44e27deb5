import { type FileHandle, open } from 'node:fs/promises';
import { assert } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { FrameBlock } from './frame-block.ts';
import type { SegmentFile } from './place.ts';
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
  readonly segment: SegmentFile;
  readonly offset: number;
  readonly fileBytes: number;
  /** What stands there instead of a frame; null at the end of the file. */
  readonly problem: SegmentProblem | null;
}

/**
 * Reads the frames of one segment in order, up to the first that is not whole (L17), in constant memory. It may be growing:
 * what it holds at the time of each read is read.
 */
export class SegmentReader {
  readonly #segment: SegmentFile;
  readonly #placeId: string | null;
  readonly #handle: FileHandle;
  #buffer: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #starts: Uint32Array = new Uint32Array(mostFrames(CHUNK_BYTES));
  /** Bytes of the buffer that hold what was read and not yet handed out; they stand at `#offset` of the file. */
  #start = 0;
  #end = 0;
  #offset = 0;
  #isAtEnd = false;
  #problem: SegmentProblem | null = null;

  private constructor(segment: SegmentFile, placeId: string | null, handle: FileHandle) {
    this.#segment = segment;
    this.#placeId = placeId;
    this.#handle = handle;
  }

  /** `placeId` null: any place will do. */
  static async open(segment: SegmentFile, placeId: string | null): Promise<SegmentReader> {
    const handle = await open(segment.path, 'r').catch((error: Error) => {
      throw new RolloutError('SEGMENT_MISSING', `cannot read ${segment.path}: ${error.message}`, { cause: error });
    });
    const reader = new SegmentReader(segment, placeId, handle);
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
    const { size } = await this.#handle.stat();
    return { segment: this.#segment, offset: this.#offset, fileBytes: size, problem: this.#problem };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #readHeader(): Promise<void> {
    while (this.#end < SEGMENT_HEADER_BYTES && !this.#isAtEnd) await this.#fill();
    const header = decodeHeader(this.#buffer.subarray(0, this.#end));
    if (typeof header === 'string') this.#problem = header;
    else if (header.epoch !== this.#segment.epoch || (this.#placeId !== null && header.placeId !== this.#placeId))
      this.#problem = 'elsewhere';
    else this.#advance(SEGMENT_HEADER_BYTES);
  }

  #takeFrames(): SegmentBlock {
    const bytes = this.#buffer.subarray(0, this.#end);
    const base = this.#offset - this.#start;
    let count = 0;
    while (this.#start < this.#end) {
      const fault = frameFault(bytes, this.#start, this.#segment.epoch);
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
    const { bytesRead } = await this.#handle.read(this.#buffer, this.#end, this.#buffer.length - this.#end, position);
    this.#isAtEnd = bytesRead === 0;
    this.#end += bytesRead;
  }
}

function mostFrames(bytes: number): number {
  return Math.ceil(bytes / FRAME_HEADER_BYTES);
}
