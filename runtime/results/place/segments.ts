import { RolloutError } from '../../base/errors.ts';
import type { Epoch } from '../../model/row.ts';
import type { EpochTally } from '../../model/tally.ts';
import type { PlaceReads } from './contract.ts';
import { segmentName } from './segment-name.ts';

/** The epoch of the highest segment, -1 for none: the results' part of the epoch floor (L3). */
export async function highestSegment(place: Pick<PlaceReads, 'epochs'>): Promise<number> {
  return (await place.epochs()).at(-1) ?? -1;
}

/** L22: refuses a place that lacks the segment of an epoch whose outcomes the ledger has accepted. */
export async function checkSegments(place: Pick<PlaceReads, 'name' | 'epochs'>, tallies: readonly EpochTally[]): Promise<void> {
  const missing = (await missingSegments(place, tallies)).map(segmentName);
  if (missing.length === 0) return;
  throw new RolloutError(
    'SEGMENT_MISSING',
    `${place.name} lacks ${missing.join(', ')}, which holds results that the ledger has accepted; put it back, or run what it held again with --rerun-damaged`,
  );
}

/** Epochs of which the ledger has accepted something, and whose segments are not there. */
export async function missingSegments(place: Pick<PlaceReads, 'epochs'>, tallies: readonly EpochTally[]): Promise<readonly Epoch[]> {
  const present = new Set(await place.epochs());
  return tallies.filter(({ epoch, count }) => count > 0 && !present.has(epoch)).map(({ epoch }) => epoch);
}
