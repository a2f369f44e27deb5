import { type FileHandle, open } from 'node:fs/promises';
import { assert } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import type { Frame } from './contract.ts';
import type { SegmentFile } from './place.ts';
import { decodeFrame, decodeHeader, FRAME_HEADER_BYTES, type FrameProblem, type HeaderProblem, SEGMENT_HEADER_BYTES } from './segment.ts';

/** Few reads of a large segment, and little memory; a longer line is read whole. */
const CHUNK_BYTES = 2 ** 20;

/** A frame and where it begins in its segment. Its line is valid until the next ones are read. */
export interface PlacedFrame {
  readonly frame: Frame;
  readonly offset: number;
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

  /** The next frames, empty at the end. */
  async next(): Promise<readonly PlacedFrame[]> {
    while (this.#problem === null) {
      const frames = this.#takeFrames();
      if (frames.length > 0 || this.#problem !== null) return frames;
      if (this.#isAtEnd) break;
      await this.#fill();
    }
    return [];
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

  #takeFrames(): readonly PlacedFrame[] {
    const bytes = this.#buffer.subarray(0, this.#end);
    const frames: PlacedFrame[] = [];
    while (this.#start < this.#end) {
      const decoded = decodeFrame(bytes, this.#start, this.#segment.epoch);
      if (decoded.kind === 'frame') {
        frames.push({ frame: decoded.frame, offset: this.#offset });
        this.#advance(decoded.bytes);
        continue;
      }
      if (decoded.kind === 'bad') this.#problem = decoded.problem;
      else if (this.#isAtEnd) this.#problem = 'torn';
      else if (frames.length === 0) this.#makeRoom(decoded.bytes);
      break;
    }
    return frames;
  }

  #advance(bytes: number): void {
    this.#start += bytes;
    this.#offset += bytes;
  }

  /** Moves what is left to the front, so that `bytes` fit behind it. */
  #makeRoom(bytes: number): void {
    assert(bytes >= FRAME_HEADER_BYTES, 'a frame needs at least its header');
    const target = bytes > this.#buffer.length ? Buffer.allocUnsafe(bytes) : this.#buffer;
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
