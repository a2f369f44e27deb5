import { mustGet } from '../../base/assert.ts';
import { nextTurn } from '../../base/clock.ts';
import type { Epoch, ItemIndex } from '../../model/row.ts';
import { type EpochTally, isSameTally, NO_TALLY, plusOutcome, type Tallied, type Tally, tallyOf } from '../../model/tally.ts';
import type { PlaceReads } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import type { LedgerReads } from './contract.ts';
import { hiddenRecords } from './hidden.ts';
import type { Location } from './locations.ts';
import { Locator } from './locator.ts';
import type { SegmentEnd } from './segment-reader.ts';
import { findShadows } from './shadows.ts';

/** What the result log has lost of what the ledger has as recorded. */
export interface Damage {
  /** How many items have lost their record; the locator knows which (`isLost`). */
  readonly lost: number;
  /** The first of them. */
  readonly indexes: readonly ItemIndex[];
  readonly segments: readonly SegmentDamage[];
  /** Of each epoch, the tally of the records that are left (L39). */
  readonly left: readonly EpochTally[];
}

export interface SegmentDamage {
  readonly path: string;
  /** How many outcomes were accepted under its epoch, and how many of these records are left. */
  readonly accepted: number;
  readonly left: number;
  /** Where the reading ended; null where the segment is not there. */
  readonly end: SegmentEnd | null;
}

/** So many are named. */
const NAMED = 20;
/** So many are looked at before the other tasks of the process have a turn. */
const ITEMS_PER_TURN = 65_536;
/** A segment of more records is not searched for those that never counted, since they would have to be held: all of it is taken for lost. */
const SEARCHED: number = 2 ** 20;

export interface InspectOptions {
  readonly ledger: LedgerReads;
  readonly place: PlaceReads;
  readonly tempDir: string;
  /** Called with the number of frames read so far. */
  readonly onFrames?: (count: number) => void;
}

/** Reads the whole log and compares it with the ledger, also while the run goes on. It costs three seconds for a gigabyte. */
export async function inspectLog<T>(options: InspectOptions, use: (locator: Locator, damage: Damage) => Promise<T>): Promise<T> {
  const locator = await Locator.build({ ...options, items: null });
  try {
    return await use(locator, await findDamage(locator, options.place));
  } finally {
    locator.dispose();
  }
}

/**
 * Marks in the locator each item that has lost its record, and counts them. Three things show a loss: a bit without a frame; a whole
 * frame behind damage, which is later than the one that would be taken for the record (hidden.ts); and a tally that differs.
 */
export async function findDamage(locator: Locator, place: PlaceReads): Promise<Damage> {
  await eachItem(locator, (index) => {
    if (locator.hasProblem(index)) locator.lose(index);
  });
  for await (const { index } of hiddenRecords(locator, place)) locator.lose(index);
  const found = await talliesOf(locator);
  const shadowed = shadowedEpochs(locator, found);
  for (const epoch of shadowed) await loseShadows(locator, epoch, tallyOf(found, epoch));
  const left = shadowed.length === 0 ? found : await talliesOf(locator);
  const segments = epochsOf(locator, left).flatMap((epoch) => segmentDamage(locator, place, epoch, tallyOf(left, epoch)));
  return { lost: locator.lost, indexes: await firstLost(locator), segments: locator.lost === 0 ? [] : segments, left };
}

/** Epochs whose segment has records that they did not accept: older frames of items whose record was lost. */
function shadowedEpochs(locator: Locator, found: readonly EpochTally[]): readonly Epoch[] {
  return epochsOf(locator, found).filter((epoch) => {
    const [kept, there] = [tallyOf(locator.tallies, epoch), tallyOf(found, epoch)];
    return !locator.unsteady.has(epoch) && there.count >= kept.count && !isSameTally(there, kept);
  });
}

async function loseShadows(locator: Locator, epoch: Epoch, found: Tally): Promise<void> {
  const records = found.count <= SEARCHED ? await recordsOf(locator, epoch) : [];
  const ordered = records.toSorted((a, b) => a.offset - b.offset);
  const shadows: readonly Tallied[] | null = findShadows(ordered, found, tallyOf(locator.tallies, epoch));
  if (shadows !== null) for (const { index } of shadows) locator.lose(index);
  else await eachRecord(locator, (record) => (record.epoch === epoch ? locator.lose(record.index) : undefined));
}

async function recordsOf(locator: Locator, epoch: Epoch): Promise<readonly Location[]> {
  const records: Location[] = [];
  await eachRecord(locator, (record) => {
    if (record.epoch === epoch) records.push(record);
  });
  return records;
}

async function talliesOf(locator: Locator): Promise<readonly EpochTally[]> {
  const tallies = new Map<Epoch, Tally>();
  await eachRecord(locator, (record) => {
    tallies.set(record.epoch, plusOutcome(tallies.get(record.epoch) ?? NO_TALLY, record));
  });
  for (const { epoch } of locator.tallies) if (!tallies.has(epoch)) tallies.set(epoch, NO_TALLY);
  return [...tallies].sort(([a], [b]) => a - b).map(([epoch, tally]) => ({ epoch, ...tally }));
}

function epochsOf({ tallies }: Locator, found: readonly EpochTally[]): readonly Epoch[] {
  return [...new Set([...tallies, ...found].map(({ epoch }) => epoch))].sort((a, b) => a - b);
}

function segmentDamage(locator: Locator, place: PlaceReads, epoch: Epoch, left: Tally): readonly SegmentDamage[] {
  const accepted = tallyOf(locator.tallies, epoch).count;
  if (left.count === accepted) return [];
  const end = locator.ends.find((one) => one.epoch === epoch) ?? null;
  return [{ path: segmentPath(place, epoch), accepted, left: left.count, end }];
}

async function firstLost(locator: Locator): Promise<readonly ItemIndex[]> {
  const indexes: ItemIndex[] = [];
  if (locator.lost === 0) return indexes;
  await eachItem(locator, (index) => {
    if (indexes.length < NAMED && locator.isLost(index)) indexes.push(index);
  });
  return indexes;
}

/** The records that are left. */
export async function eachRecord(locator: Locator, see: (record: Location) => void): Promise<void> {
  await eachItem(locator, (index) => {
    if (locator.hasRecord(index)) see(mustGet(locator.at(index).found, 'a record'));
  });
}

async function eachItem({ items }: Locator, see: (index: ItemIndex) => void): Promise<void> {
  for (let from = 0; from < items; from += ITEMS_PER_TURN) {
    for (let index = from; index < Math.min(from + ITEMS_PER_TURN, items); index += 1) see(index);
    await nextTurn();
  }
}
