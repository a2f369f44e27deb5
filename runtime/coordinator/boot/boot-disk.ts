import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import { type Random, systemRandom } from '../../base/random.ts';
import { createResultLog } from '../../results/log/log.ts';
import { checkSegments, highestSegment, openPlace } from '../../results/log/place.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { readEpochMark, writeEpochMark } from '../../run-dir/state-files.ts';
import type { BootDisk } from './recover.ts';

/** The state directory of one run, with the results place in it. */
export function bootDisk(
  paths: Pick<StatePaths, 'segmentsDir' | 'epochMark'>,
  runId: string,
  disk: Disk = systemDisk,
  random: Random = systemRandom,
): BootDisk {
  const dir = paths.segmentsDir;
  return {
    name: dir,
    readEpochMark: () => readEpochMark(paths.epochMark, disk),
    writeEpochMark: (epoch) => writeEpochMark(paths.epochMark, epoch, disk),
    highestSegment: () => highestSegment(dir, disk),
    openPlace: () => openPlace(dir, runId, random, disk),
    checkSegments: (tallies) => checkSegments(dir, tallies, disk),
    createLog: (epoch, place) => createResultLog({ dir, epoch, place, disk }),
  };
}
