import { RolloutError } from '../../base/errors.ts';
import type { Epoch } from '../../model/row.ts';
import type { PlaceReads, SegmentBytes } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import { FrameBlock } from './frame-block.ts';
import type { Locations } from './locations.ts';
import { planReads, type ReadRange } from './read-plan.ts';
import { frameEnd, frameFault, frameIndex } from './segment.ts';

/** Reads records by their places; each is checked again as it is read. */
export class RecordFetcher {
  readonly #place: Pick<PlaceReads, 'name' | 'read'>;
  readonly #segments = new Map<Epoch, SegmentBytes>();
  /** One for all batches: memory that is used again need not be cleared by the system. */
  #buffer: Buffer = Buffer.alloc(0);

  constructor(place: Pick<PlaceReads, 'name' | 'read'>) {
    this.#place = place;
  }

  /** The records, in the order asked for, valid until the next call. The caller bounds how many bytes that is. */
  async fetch(locations: Locations): Promise<FrameBlock> {
    const ranges = planReads(locations);
    this.#makeRoom(ranges.reduce((sum, { start, end }) => sum + end - start, 0));
    const starts = new Uint32Array(locations.count);
    let at = 0;
    for (const range of ranges) {
      await this.#read(range, at);
      this.#check(range, at, locations, starts);
      at += range.end - range.start;
    }
    return new FrameBlock(this.#buffer, starts, locations.count);
  }

  async close(): Promise<void> {
    for (const segment of this.#segments.values()) await segment.close();
  }

  #makeRoom(bytes: number): void {
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafe(bytes);
  }

  async #read({ epoch, start, end }: ReadRange, at: number): Promise<void> {
    const bytes = this.#buffer.subarray(at, at + end - start);
    const filled = await (await this.#segment(epoch)).read(bytes, start);
    // What the segment has lost at its end is not a frame; nor are the bytes of an earlier batch.
    bytes.fill(0, filled);
  }

  /** Each frame of the range, which stands at `at` of the buffer, is the one that is asked for. */
  #check(range: ReadRange, at: number, locations: Locations, starts: Uint32Array): void {
    const bytes = this.#buffer.subarray(0, at + range.end - range.start);
    for (const { first, count } of range.runs) {
      for (let n = first; n < first + count; n += 1) {
        const start = at + locations.start(n) - range.start;
        const isSame =
          frameFault(bytes, start, range.epoch) === null &&
          frameIndex(bytes, start) === locations.index(n) &&
          frameEnd(bytes, start) - start === locations.end(n) - locations.start(n);
        if (!isSame) throw this.#changed(locations, n);
        starts[n] = start;
      }
    }
  }

  async #segment(epoch: Epoch): Promise<SegmentBytes> {
    const segment = this.#segments.get(epoch) ?? (await this.#place.read(epoch));
    this.#segments.set(epoch, segment);
    return segment;
  }

  #changed(locations: Locations, n: number): RolloutError {
    const where = `${segmentPath(this.#place, locations.epoch(n))} at byte ${locations.start(n)}`;
    return new RolloutError(
      'LEDGER_CORRUPT',
      `the record of item index ${locations.index(n)} in ${where} changed while it was read: check the disk`,
    );
  }
}
