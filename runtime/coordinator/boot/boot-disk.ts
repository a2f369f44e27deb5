import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import { createResultLog } from '../../results/log/log.ts';
import type { ResultsPlace } from '../../results/place/contract.ts';
import { checkSegments, highestSegment } from '../../results/place/segments.ts';
import { raiseEpochMark, readEpochMark } from '../../run-dir/epoch-mark.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import type { BootDisk } from './recover.ts';

export interface BootDiskOptions {
  readonly paths: Pick<StatePaths, 'epochMark'>;
  readonly runId: string;
  /** Each call is asked until it is answered (L20). */
  readonly place: ResultsPlace;
  /** Results that lie beside the ledger go back with it, and prove nothing of it; asking for them would only be one more call that may fail. */
  readonly isBesideLedger?: boolean;
  readonly disk?: Disk;
}

/** The state directory of one run, and the place of its results. */
export function bootDisk({ paths, runId, place, isBesideLedger = false, disk = systemDisk }: BootDiskOptions): BootDisk {
  return {
    name: place.name,
    readEpochMark: () => readEpochMark(paths.epochMark, disk),
    raiseEpochMark: (epoch) => raiseEpochMark(paths.epochMark, epoch, disk),
    highestSegment: async () => (isBesideLedger ? -1 : highestSegment(place)),
    openPlace: (epoch) => place.open(epoch, runId),
    checkSegments: (tallies) => checkSegments(place, tallies),
    createLog: (epoch, identity) => createResultLog({ place, epoch, identity }),
  };
}
