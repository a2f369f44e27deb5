import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { createFileAtomic, makeDirectory, syncDirectory } from '../../base/fs/atomic-file.ts';
import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import { type Random, systemRandom } from '../../base/random.ts';
import type { Place } from '../../ledger/contract.ts';
import type { Epoch } from '../../model/row.ts';
import type { EpochTally } from '../../model/tally.ts';

/**
 * The place where outcomes are kept: a directory with `place.json`, its identity (L22), and one segment for each epoch that wrote.
 * The ledger remembers the identity, so that a coordinator on a host with another, empty disk cannot finish the run without its
 * predecessor's records.
 */

const PLACE_FILE = 'place.json';
const SEGMENT_NAME = /^(\d{10})\.seg$/;

/** The place at `dir`, made at first use; safe when two processes start at once. Refuses a place of another run. */
export async function openPlace(dir: string, runId: string, random: Random = systemRandom, disk: Disk = systemDisk): Promise<Place> {
  await makeDirectory(dir, disk);
  const place = (await readPlace(dir, disk)) ?? (await createPlace(disk, dir, { placeId: random.hex(16), runId }));
  // The ledger remembers this identity from now on; a process that wrote it may have died before its name was on disk.
  await syncDirectory(dir, disk);
  if (place.runId === runId) return place;
  throw new RolloutError(
    'PLACE_ELSEWHERE',
    `${dir} holds the results of run ${place.runId}, not of run ${runId}; give this run a directory of its own`,
  );
}

async function createPlace(disk: Disk, dir: string, place: Place): Promise<Place> {
  if ((await listSegments(dir, disk)).length > 0) {
    throw new RolloutError(
      'PLACE_ELSEWHERE',
      `${dir} has result segments but no ${PLACE_FILE}; put back the ${PLACE_FILE} that was made with them`,
    );
  }
  const isMine = await createFileAtomic(join(dir, PLACE_FILE), `${JSON.stringify({ version: 1, ...place })}\n`, undefined, disk);
  return isMine ? place : ((await readPlace(dir, disk)) ?? place);
}

/** The identity of the place at `dir`, null where it has none. */
export async function readPlace(dir: string, disk: Disk = systemDisk): Promise<Place | null> {
  const path = join(dir, PLACE_FILE);
  const text = await readTextIfThere(path, disk);
  return text === null ? null : parsePlace(path, text);
}

function parsePlace(path: string, text: string): Place {
  try {
    const { version, placeId, runId } = JSON.parse(text) as Record<'version' | 'placeId' | 'runId', unknown>;
    if (version === 1 && typeof placeId === 'string' && typeof runId === 'string') return { placeId, runId };
  } catch (error) {
    throw new RolloutError('STATE_UNREADABLE', `${path} is damaged: not JSON`, { cause: error });
  }
  throw new RolloutError('STATE_UNREADABLE', `${path} is damaged, or was written by a newer version of Rollout`);
}

export interface SegmentFile {
  readonly epoch: Epoch;
  readonly name: string;
  readonly path: string;
}

export function segmentName(epoch: Epoch): string {
  return `${String(epoch).padStart(10, '0')}.seg`;
}

/** Every segment of the place, ascending by epoch; empty where the directory does not exist. */
export async function listSegments(dir: string, disk: Disk = systemDisk): Promise<readonly SegmentFile[]> {
  const names = await disk.readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new RolloutError('STATE_UNREADABLE', `cannot list ${dir}: ${error.message}`, { cause: error });
  });
  return names
    .filter((name) => SEGMENT_NAME.test(name))
    .map((name) => ({ epoch: Number.parseInt(name, 10), name, path: join(dir, name) }))
    .sort((a, b) => a.epoch - b.epoch);
}

/** The epoch of the highest segment, -1 for none: the results' part of the epoch floor (L3). */
export async function highestSegment(dir: string, disk: Disk = systemDisk): Promise<number> {
  return (await listSegments(dir, disk)).at(-1)?.epoch ?? -1;
}

/** L22: refuses a place that lacks the segment of an epoch whose outcomes the ledger has accepted. */
export async function checkSegments(dir: string, tallies: readonly EpochTally[], disk: Disk = systemDisk): Promise<void> {
  const missing = (await missingSegments(dir, tallies, disk)).map(segmentName);
  if (missing.length === 0) return;
  throw new RolloutError(
    'SEGMENT_MISSING',
    `${dir} lacks ${missing.join(', ')}, which holds results that the ledger has accepted; put it back, or run what it held again with --rerun-damaged`,
  );
}

/** Epochs of which the ledger has accepted something, and whose segments are not there. */
export async function missingSegments(dir: string, tallies: readonly EpochTally[], disk: Disk = systemDisk): Promise<readonly Epoch[]> {
  const present = new Set((await listSegments(dir, disk)).map((segment) => segment.epoch));
  return tallies.filter(({ epoch, count }) => count > 0 && !present.has(epoch)).map(({ epoch }) => epoch);
}
