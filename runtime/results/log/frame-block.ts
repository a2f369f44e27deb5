import type { Attempt, ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';
import type { Frame } from './contract.ts';
import { FRAME_HEADER_BYTES, frameAttempt, frameEnd, frameIndex, frameKind } from './segment.ts';

/**
 * Whole frames that lie in one buffer, by their number in the block. A reader of millions of frames asks for the fields it needs, and
 * no object is made for a frame unless one is asked for. Valid until its reader reads again.
 */
export class FrameBlock implements Iterable<Frame> {
  readonly bytes: Buffer;
  readonly count: number;
  /** Where each frame begins in `bytes`. */
  readonly #starts: Uint32Array;

  /** `starts` may be longer than `count`. */
  constructor(bytes: Buffer, starts: Uint32Array, count: number) {
    this.bytes = bytes;
    this.#starts = starts;
    this.count = count;
  }

  /** Where frame `n` begins in `bytes`. */
  start(n: number): number {
    return this.#starts[n] as number;
  }

  index(n: number): ItemIndex {
    return frameIndex(this.bytes, this.start(n));
  }

  attempt(n: number): Attempt {
    return frameAttempt(this.bytes, this.start(n));
  }

  kind(n: number): OutcomeKind {
    return frameKind(this.bytes, this.start(n));
  }

  lineStart(n: number): number {
    return this.start(n) + FRAME_HEADER_BYTES;
  }

  lineEnd(n: number): number {
    return frameEnd(this.bytes, this.start(n));
  }

  frame(n: number): Frame {
    const line = this.bytes.subarray(this.lineStart(n), this.lineEnd(n));
    return { index: this.index(n), attempt: this.attempt(n), kind: this.kind(n), line };
  }

  *[Symbol.iterator](): Generator<Frame, void> {
    for (let n = 0; n < this.count; n += 1) yield this.frame(n);
  }
}
