import type { Epoch } from '../../runtime/model/row.ts';
import { type EpochTally, isSameTally, NO_TALLY, plusOutcome, type Tally, tallyOf } from '../../runtime/model/tally.ts';
import type { World } from './world.ts';

/** L39: whatever was killed where, the log has exactly the outcomes that the ledger accepted, each in the segment of its epoch. */
export async function checkTallies(world: World, tallies: readonly EpochTally[]): Promise<void> {
  const found = new Map<Epoch, Tally>();
  const bits = await world.ledger.bits(0, world.plan.items);
  for (const [index, { epoch, attempt }] of world.disk.lastFrames()) {
    if ((bits[index] ?? 0) !== 0) found.set(epoch, plusOutcome(found.get(epoch) ?? NO_TALLY, { index, attempt }));
  }
  for (const epoch of world.disk.epochs()) {
    const [kept, there] = [tallyOf(tallies, epoch), found.get(epoch) ?? NO_TALLY];
    world.hold(
      'L39',
      isSameTally(kept, there),
      `epoch ${epoch} accepted ${kept.count} outcomes, and its segment has ${there.count} of them`,
    );
  }
}
