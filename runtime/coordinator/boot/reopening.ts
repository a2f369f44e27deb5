import { mustGet } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import type { InputReader } from '../../input/index/reader.ts';
import type { Fenced, ReopenReply } from '../../ledger/contract.ts';
import type { ItemIndex } from '../../model/row.ts';
import { type EpochTally, minusOutcome, type Reopening, type Tallied, type Tally } from '../../model/tally.ts';
import type { LedgerReads } from '../../results/log/contract.ts';
import { type Damage, eachRecord, inspectLog } from '../../results/log/damage.ts';
import { damaged } from '../../results/log/damage-text.ts';
import type { Location } from '../../results/log/locations.ts';
import type { Locator } from '../../results/log/locator.ts';
import type { PlaceReads } from '../../results/place/contract.ts';

/** What a person has asked to run again. */
export interface Again {
  /** Items that have failed. */
  readonly failed: boolean;
  /** Items whose recorded outcome is damaged or gone. */
  readonly damaged: boolean;
}

export interface ReopeningOptions {
  readonly ledger: LedgerReads;
  /** Asks the ledger, under this epoch, until the answer is known. */
  readonly reopen: (reopening: Reopening) => Promise<ReopenReply | Fenced | null>;
  readonly place: PlaceReads;
  readonly tempDir: string;
  readonly reader: Pick<InputReader, 'survey'>;
  readonly again: Again;
}

export interface Reopened {
  readonly lost: number;
  readonly failed: number;
  /** Failed lines that are no items: they would fail again. */
  readonly invalid: number;
}

/** Bounds one transaction of the ledger. */
const PART_ITEMS = 16_384;

/**
 * Reopens recorded items (L45) before anything is executed. Items that lost their record come first and in one transaction, since ledger
 * and log agree only after it (L39). Failed items follow in parts, and each part leaves the two in agreement: a run that is killed in
 * between goes on with the items that were reopened, and the others are still failed.
 */
export async function reopenItems(options: ReopeningOptions): Promise<Reopened> {
  return inspectLog(options, async (locator, damage) => {
    if (damage.lost > 0 && !options.again.damaged) throw damaged(damage, 'executed');
    if (damage.lost > 0) await reopenLost(options, locator, damage);
    const none: Reopened = { lost: damage.lost, failed: 0, invalid: 0 };
    return options.again.failed ? { ...none, ...(await reopenFailed(options, locator, damage.left)) } : none;
  });
}

async function reopenLost(options: ReopeningOptions, locator: Locator, { left }: Damage): Promise<void> {
  const pending: ItemIndex[] = [];
  const own: ItemIndex[] = [];
  for (let from = 0; from < locator.items; from += PART_ITEMS) {
    const invalid = await invalidAmong(options, from);
    for (let index = from; index < Math.min(from + PART_ITEMS, locator.items); index += 1)
      if (locator.isLost(index)) (invalid.has(index) ? own : pending).push(index);
  }
  await ask(options, { pending, own, tallies: left });
}

async function reopenFailed(
  options: ReopeningOptions,
  locator: Locator,
  left: readonly EpochTally[],
): Promise<Pick<Reopened, 'failed' | 'invalid'>> {
  // Numbers alone: all items of a long list may have failed.
  const failed: ItemIndex[] = [];
  await eachRecord(locator, ({ kind, index }) => {
    if (kind === 'error') failed.push(index);
  });
  const tallies = new Map(left.map(({ epoch, ...tally }) => [epoch, tally as Tally]));
  const count = { failed: 0, invalid: 0 };
  for (let at = 0; at < failed.length; at += PART_ITEMS) {
    const part = failed.slice(at, at + PART_ITEMS).map((index) => mustGet(locator.at(index).found, 'a record'));
    const valid = await withoutInvalid(options, part);
    for (const record of valid) tallies.set(record.epoch, minusOutcome(tallies.get(record.epoch) as Tally, record satisfies Tallied));
    if (valid.length > 0) await ask(options, reopeningOf(valid, tallies));
    count.failed += valid.length;
    count.invalid += part.length - valid.length;
  }
  return count;
}

function reopeningOf(records: readonly Location[], tallies: ReadonlyMap<number, Tally>): Reopening {
  return {
    pending: records.map(({ index }) => index),
    own: [],
    tallies: [...tallies].map(([epoch, tally]) => ({ epoch, ...tally })),
  };
}

async function withoutInvalid(options: ReopeningOptions, records: readonly Location[]): Promise<readonly Location[]> {
  const valid: Location[] = [];
  let known = { from: -PART_ITEMS, invalid: new Set<ItemIndex>() as ReadonlySet<ItemIndex> };
  for (const record of records) {
    const from = record.index - (record.index % PART_ITEMS);
    if (known.from !== from) known = { from, invalid: await invalidAmong(options, from) };
    if (!known.invalid.has(record.index)) valid.push(record);
  }
  return valid;
}

async function invalidAmong({ reader }: ReopeningOptions, from: ItemIndex): Promise<ReadonlySet<ItemIndex>> {
  return new Set((await reader.survey(from, PART_ITEMS)).invalid);
}

async function ask({ reopen }: ReopeningOptions, reopening: Reopening): Promise<void> {
  const reply = await reopen(reopening);
  if (reply === null || reply.kind === 'fenced') throw takenOver();
  if (reply.kind === 'refused') throw new Error('log and ledger differ on what is recorded', { cause: reply.found });
}

export function takenOver(): RolloutError {
  return new RolloutError('FENCED', 'another coordinator has taken the run over; this one ends');
}
