import type { Disk } from '../../runtime/base/fs/disk.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { inlinePlace } from '../../runtime/results/inline/place.ts';
import type { InlineSession } from '../../runtime/results/inline/segments.ts';
import { throughCalls } from '../../runtime/results/place/calls.ts';
import type { ResultsPlace } from '../../runtime/results/place/contract.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { RUN_ID, STATE } from './sim-disk.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** Where a coordinator has the results, as coordinator/store.ts joins it. */
export function simResults(world: World, { name, clock }: SimProcess, session: InlineSession, disk: Disk): ResultsPlace {
  const random = world.stream(`place of ${name}`);
  if (world.plan.results === 'directory') return directoryPlace(STATE.segmentsDir, disk, random);
  const place = inlinePlace({ session, runId: RUN_ID, server: 'the store', limitBytes: Number.POSITIVE_INFINITY, random });
  return throughCalls(place, (_, call) => untilAnswered({ clock, random }, call));
}
