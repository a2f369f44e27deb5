import type { Frame, OutputOrder } from './contract.ts';
import { RecordFetcher } from './fetch.ts';
import type { Location, Locator } from './locator.ts';
import { SegmentReader } from './segment-reader.ts';

/** Bounds what lies in memory at a time. */
const BATCH_BYTES: number = 8 * 2 ** 20;
/** For very short lines, whose records weigh more than their bytes. */
const BATCH_ITEMS = 8192;

/**
 * The accepted record of each item whose bit is set, in constant memory: by index, or in the order of the log. The lines of a batch
 * are valid until the next one is asked for.
 */
export function acceptedRecords(dir: string, locator: Locator, order: OutputOrder): AsyncGenerator<readonly Frame[], void> {
  return order === 'input' ? recordsByIndex(dir, locator) : recordsByLog(locator);
}

async function* recordsByIndex(dir: string, locator: Locator): AsyncGenerator<readonly Frame[], void> {
  const fetcher = new RecordFetcher(dir);
  try {
    for (const batch of batched(locations(locator), (location) => location.lineBytes)) {
      yield await fetcher.fetch(batch);
    }
  } finally {
    await fetcher.close();
  }
}

function* locations(locator: Locator): Generator<Location, void> {
  for (let index = 0; index < locator.items; index++) {
    const { found } = locator.at(index);
    if (found !== null && locator.hasRecord(index)) yield found;
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

async function* recordsByLog(locator: Locator): AsyncGenerator<readonly Frame[], void> {
  for (const { segment } of locator.ends) {
    const reader = await SegmentReader.open(segment, locator.placeId);
    try {
      for (let placed = await reader.next(); placed.length > 0; placed = await reader.next()) {
        yield placed.filter((one) => locator.isRecord(segment.epoch, one)).map((one) => one.frame);
      }
    } finally {
      await reader.close();
    }
  }
}
