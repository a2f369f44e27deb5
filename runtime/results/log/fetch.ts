import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { readFully } from '../../base/fs/read-fully.ts';
import type { Epoch } from '../../model/row.ts';
import type { Frame } from './contract.ts';
import type { Location } from './locator.ts';
import { segmentName } from './place.ts';
import { decodeFrame, FRAME_HEADER_BYTES } from './segment.ts';

/** Frames closer than this are read together: rather some bytes in vain than another call. */
const GAP_BYTES = 4096;
/** Bounds the memory of one read. */
const READ_BYTES: number = 4 * 2 ** 20;

/** A run of frames in one segment that one read covers. */
export interface ReadRange {
  readonly epoch: Epoch;
  readonly start: number;
  readonly end: number;
  readonly locations: readonly Location[];
}

/** How to read these frames in few calls, in the order of the log. */
export function planReads(locations: readonly Location[]): readonly ReadRange[] {
  const sorted = locations.toSorted((a, b) => a.epoch - b.epoch || a.offset - b.offset);
  const ranges: { epoch: Epoch; start: number; end: number; locations: Location[] }[] = [];
  for (const location of sorted) {
    const end = location.offset + FRAME_HEADER_BYTES + location.lineBytes;
    const last = ranges.at(-1);
    if (last !== undefined && last.epoch === location.epoch && location.offset - last.end <= GAP_BYTES && end - last.start <= READ_BYTES) {
      last.locations.push(location);
      last.end = end;
    } else {
      ranges.push({ epoch: location.epoch, start: location.offset, end, locations: [location] });
    }
  }
  return ranges;
}

/** Reads records by their places; each is checked again as it is read. */
export class RecordFetcher {
  readonly #dir: string;
  readonly #handles = new Map<Epoch, FileHandle>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The records, in the order asked for. The caller bounds how many bytes that is. */
  async fetch(locations: readonly Location[]): Promise<readonly Frame[]> {
    const frames = new Map<Location, Frame>();
    for (const range of planReads(locations)) await this.#read(range, frames);
    return locations.map((location) => frames.get(location) as Frame);
  }

  async close(): Promise<void> {
    for (const handle of this.#handles.values()) await handle.close();
  }

  async #read(range: ReadRange, frames: Map<Location, Frame>): Promise<void> {
    // What the file has lost at its end is not a frame.
    const bytes = await readFully(await this.#handle(range.epoch), range.start, range.end - range.start);
    for (const location of range.locations) {
      const decoded = decodeFrame(bytes, location.offset - range.start, range.epoch);
      if (decoded.kind !== 'frame' || decoded.frame.index !== location.index) throw this.#changed(location);
      frames.set(location, decoded.frame);
    }
  }

  async #handle(epoch: Epoch): Promise<FileHandle> {
    const handle = this.#handles.get(epoch) ?? (await open(join(this.#dir, segmentName(epoch)), 'r'));
    this.#handles.set(epoch, handle);
    return handle;
  }

  #changed(location: Location): RolloutError {
    const where = `${join(this.#dir, segmentName(location.epoch))} at byte ${location.offset}`;
    return new RolloutError(
      'LEDGER_CORRUPT',
      `the record of item index ${location.index} in ${where} changed while it was read: check the disk`,
    );
  }
}
