import type { Epoch } from '../../model/row.ts';
import type { PlaceReads } from '../place/contract.ts';
import type { OutputOrder } from './contract.ts';
import { RecordFetcher } from './fetch.ts';
import { FrameBlock } from './frame-block.ts';
import { Locations } from './locations.ts';
import type { Locator } from './locator.ts';
import { type SegmentBlock, SegmentReader } from './segment-reader.ts';

/** Bounds what lies in memory at a time. */
const BATCH_BYTES: number = 8 * 2 ** 20;
/** For very short lines, whose records weigh more than their bytes. */
const BATCH_ITEMS = 8192;

/**
 * The accepted record of each item whose bit is set, in constant memory: by index, or in the order of the log. The lines of a batch
 * are valid until the next one is asked for.
 */
export function acceptedRecords(place: PlaceReads, locator: Locator, order: OutputOrder): AsyncGenerator<FrameBlock, void> {
  return order === 'input' ? recordsByIndex(place, locator) : recordsByLog(place, locator);
}

async function* recordsByIndex(place: PlaceReads, locator: Locator): AsyncGenerator<FrameBlock, void> {
  const fetcher = new RecordFetcher(place);
  const batch = new Locations(BATCH_ITEMS);
  try {
    for (let index = 0; index < locator.items; index += 1) {
      locator.addRecord(index, batch);
      if (batch.bytes < BATCH_BYTES && batch.count < BATCH_ITEMS) continue;
      yield await fetcher.fetch(batch);
      batch.clear();
    }
    if (batch.count > 0) yield await fetcher.fetch(batch);
  } finally {
    await fetcher.close();
  }
}

/** So many values at a time as may lie in memory; at least one. */
export function* batched<T>(values: Iterable<T>, bytesOf: (value: T) => number): Generator<readonly T[], void> {
  let batch: T[] = [];
  let bytes = 0;
  for (const value of values) {
    batch.push(value);
    bytes += bytesOf(value);
    if (bytes < BATCH_BYTES && batch.length < BATCH_ITEMS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function* recordsByLog(place: PlaceReads, locator: Locator): AsyncGenerator<FrameBlock, void> {
  for (const { epoch } of locator.ends) {
    const reader = await SegmentReader.open(place, epoch, locator.placeId);
    try {
      for (let block = await reader.next(); block !== null; block = await reader.next()) yield recordsIn(block, epoch, locator);
    } finally {
      await reader.close();
    }
  }
}

/** The frames of the block that are records. */
function recordsIn({ frames, base }: SegmentBlock, epoch: Epoch, locator: Locator): FrameBlock {
  const starts = new Uint32Array(frames.count);
  let count = 0;
  for (let n = 0; n < frames.count; n += 1) {
    if (locator.isRecord(frames.index(n), epoch, base + frames.start(n))) starts[count++] = frames.start(n);
  }
  return new FrameBlock(frames.bytes, starts, count);
}
