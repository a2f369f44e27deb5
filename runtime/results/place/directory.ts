import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { makeDirectory, syncDirectory } from '../../base/fs/atomic-file.ts';
import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import type { DurableFile } from '../../base/fs/durable-file.ts';
import { readInto } from '../../base/fs/read-fully.ts';
import { type Random, systemRandom } from '../../base/random.ts';
import type { Epoch } from '../../model/row.ts';
import type { Created, ResultsPlace, SegmentBytes, SegmentWriter } from './contract.ts';
import { listSegments } from './directory-files.ts';
import { openIdentity, readIdentity } from './directory-identity.ts';
import { segmentName } from './segment-name.ts';

/**
 * A directory as the place of a result log: a file for each segment, and the identity of the place beside them. Every coordinator of the
 * run has to reach the same directory. Nobody is fenced here: a deposed coordinator can only write to the end of its own segment.
 */
export function directoryPlace(dir: string, disk: Disk = systemDisk, random: Random = systemRandom): ResultsPlace {
  return {
    name: dir,
    identity: () => readIdentity(dir, disk),
    open: async (_, runId) => ({ kind: 'opened', place: await openIdentity(dir, runId, random, disk) }),
    create: (epoch, first) => createSegment(dir, epoch, first, disk),
    epochs: async () => (await listSegments(dir, disk)).map(({ epoch }) => epoch),
    read: (epoch) => readSegment(join(dir, segmentName(epoch))),
  };
}

async function createSegment(dir: string, epoch: Epoch, first: Uint8Array, disk: Disk): Promise<Created> {
  const path = join(dir, segmentName(epoch));
  try {
    await makeDirectory(dir, disk);
    const writer = fileWriter(await disk.createDurable(path));
    await begin(writer, dir, first, disk);
    return { kind: 'created', writer };
  } catch (error) {
    throw new RolloutError('RESULT_LOG_FAILED', creationFailure(path, error), { cause: error });
  }
}

async function begin(writer: SegmentWriter, dir: string, first: Uint8Array, disk: Disk): Promise<void> {
  try {
    await writer.append(first);
    await syncDirectory(dir, disk);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function creationFailure(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return `${path} exists already: another process has opened the result log of this epoch`;
  return `cannot make the result segment ${path}: ${message}`;
}

/** One durable write, however many outcomes it carries. */
function fileWriter(file: DurableFile): SegmentWriter {
  return {
    append: async (bytes) => {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
      return { kind: 'appended' };
    },
    close: () => file.close(),
  };
}

async function readSegment(path: string): Promise<SegmentBytes> {
  const handle = await open(path, 'r').catch((error: Error) => {
    throw new RolloutError('SEGMENT_MISSING', `cannot read ${path}: ${error.message}`, { cause: error });
  });
  return fileBytes(handle);
}

function fileBytes(handle: FileHandle): SegmentBytes {
  return {
    size: async () => (await handle.stat()).size,
    read: (into, position) => readInto(handle, position, into),
    close: () => handle.close(),
  };
}
