import { createResultLog } from '../results/log.ts';
import { checkSegments, highestSegment, openPlace } from '../results/place.ts';
import { readEpochMark, type StateFiles, writeEpochMark } from './files.ts';
import type { BootDisk } from './recover.ts';

/** The state directory of one run, with the results place in it. */
export function bootDisk(files: StateFiles, runId: string): BootDisk {
  const dir = files.segments;
  return {
    name: dir,
    readEpochMark: () => readEpochMark(files.epochMark),
    writeEpochMark: (epoch) => writeEpochMark(files.epochMark, epoch),
    highestSegment: () => highestSegment(dir),
    openPlace: () => openPlace(dir, runId),
    checkSegments: (acceptedEpochs) => checkSegments(dir, acceptedEpochs),
    createLog: (epoch, place) => createResultLog({ dir, epoch, place }),
  };
}
