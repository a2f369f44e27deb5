import type { Frame, OutputOrder } from './contract.ts';
import { RecordFetcher } from './fetch.ts';
import type { Location, Locator } from './locator.ts';
import { SegmentReader } from './segment-reader.ts';

/** Bounds what lies in memory at a time. */
const BATCH_BYTES: number = 8 * 2 ** 20;
const BATCH_ITEMS = 8192;

/** Some accepted records; their lines are valid until the next batch is asked for. */
export interface RecordBatch {
  readonly frames: readonly Frame[];
  /** How far the reading is, of `total`. */
  readonly at: number;
  readonly total: number;
}

/** The accepted record of each item whose bit is set, in constant memory: by index, or in the order of the log. */
export function acceptedRecords(dir: string, locator: Locator, order: OutputOrder): AsyncGenerator<RecordBatch, void> {
  return order === 'input' ? recordsByIndex(dir, locator) : recordsByLog(locator);
}

async function* recordsByIndex(dir: string, locator: Locator): AsyncGenerator<RecordBatch, void> {
  const fetcher = new RecordFetcher(dir);
  try {
    for (const batch of batched(locations(locator), (location) => location.lineBytes)) {
      yield { frames: await fetcher.fetch(batch), at: batch.at(-1)?.index ?? 0, total: locator.items };
    }
  } finally {
    await fetcher.close();
  }
}

function* locations(locator: Locator): Generator<Location, void> {
  for (let index = 0; index < locator.items; index++) {
    const { expected, found } = locator.at(index);
    if (expected !== null && found !== null) yield found;
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

async function* recordsByLog(locator: Locator): AsyncGenerator<RecordBatch, void> {
  const total = locator.ends.reduce((sum, end) => sum + end.offset, 0);
  let before = 0;
  for (const { segment, offset } of locator.ends) {
    const reader = await SegmentReader.open(segment, locator.placeId);
    try {
      for (let placed = await reader.next(); placed.length > 0; placed = await reader.next()) {
        const frames = placed.filter((one) => locator.isRecord(segment.epoch, one)).map((one) => one.frame);
        yield { frames, at: before + Math.min(placed.at(-1)?.offset ?? 0, offset), total };
      }
    } finally {
      await reader.close();
    }
    before += offset;
  }
}
