import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { createFileAtomic, makeDirectory, syncDirectory } from '../../base/fs/atomic-file.ts';
import type { Disk } from '../../base/fs/disk.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import type { Random } from '../../base/random.ts';
import type { Place } from '../../ledger/contract.ts';
import { listSegments } from './directory-files.ts';

/**
 * `place.json` beside the segments says which place it is (L22). The ledger remembers it, so that a coordinator on a host with another,
 * empty disk cannot finish the run without its predecessor's records.
 */

const PLACE_FILE = 'place.json';

/** The identity of the directory, made at first use; safe when two processes start at once. Refuses a place of another run. */
export async function openIdentity(dir: string, runId: string, random: Random, disk: Disk): Promise<Place> {
  await makeDirectory(dir, disk);
  const place = (await readIdentity(dir, disk)) ?? (await createIdentity(disk, dir, { placeId: random.hex(16), runId }));
  // The ledger remembers this identity from now on; a process that wrote it may have died before its name was on disk.
  await syncDirectory(dir, disk);
  if (place.runId === runId) return place;
  throw new RolloutError(
    'PLACE_ELSEWHERE',
    `${dir} holds the results of run ${place.runId}, not of run ${runId}; give this run a directory of its own`,
  );
}

async function createIdentity(disk: Disk, dir: string, place: Place): Promise<Place> {
  if ((await listSegments(dir, disk)).length > 0) {
    throw new RolloutError(
      'PLACE_ELSEWHERE',
      `${dir} has result segments but no ${PLACE_FILE}; put back the ${PLACE_FILE} that was made with them`,
    );
  }
  const isMine = await createFileAtomic(join(dir, PLACE_FILE), `${JSON.stringify({ version: 1, ...place })}\n`, undefined, disk);
  return isMine ? place : ((await readIdentity(dir, disk)) ?? place);
}

export async function readIdentity(dir: string, disk: Disk): Promise<Place | null> {
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
