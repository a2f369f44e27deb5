import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { makeDirectory, syncDirectory } from '../../base/fs/atomic-file.ts';
import { type Disk, type DiskFile, systemDisk } from '../../base/fs/disk.ts';
import type { Place } from '../../ledger/contract.ts';
import type { Epoch } from '../../model/row.ts';
import type { Frame, ResultLog } from './contract.ts';
import { segmentName } from './place.ts';
import { encodeFrames, encodeHeader, frameBytes } from './segment.ts';

/** At most so many bytes go into one write, unless a single append is larger: bounds the copy in memory. */
const MAX_WRITE_BYTES = 32 * 2 ** 20;

/** What the log needs of a file; the test's own can fail. */
export interface SegmentSink {
  /** Writes all bytes at the end, or throws. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written is on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ResultLogOptions {
  readonly dir: string;
  readonly epoch: Epoch;
  readonly place: Pick<Place, 'placeId'>;
  readonly disk?: Disk;
}

/** Makes the segment of this epoch, exclusively (L17); its name and its header are durable when this resolves (L18). */
export async function createResultLog(options: ResultLogOptions): Promise<ResultLog> {
  const { dir, epoch, disk = systemDisk } = options;
  const path = join(dir, segmentName(epoch));
  try {
    await makeDirectory(dir, disk);
    const sink = fileSink(await disk.open(path, 'wx'));
    await begin(sink, options, disk);
    return new GroupCommitLog(epoch, path, sink);
  } catch (error) {
    throw new RolloutError('RESULT_LOG_FAILED', creationFailure(path, error), { cause: error });
  }
}

async function begin(sink: SegmentSink, { dir, epoch, place }: ResultLogOptions, disk: Disk): Promise<void> {
  try {
    await sink.write(encodeHeader({ epoch, placeId: place.placeId }));
    await sink.sync();
    await syncDirectory(dir, disk);
  } catch (error) {
    await sink.close();
    throw error;
  }
}

function creationFailure(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return `${path} exists already: another process has opened the result log of this epoch`;
  return `cannot make the result segment ${path}: ${message}`;
}

function fileSink(handle: DiskFile): SegmentSink {
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

interface Waiting {
  readonly frames: readonly Frame[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: RolloutError) => void;
}

function framesOf(group: readonly Waiting[]): readonly Frame[] {
  const [only] = group;
  return only !== undefined && group.length === 1 ? only.frames : group.flatMap(({ frames }) => frames);
}

/**
 * Group commit: while one write and sync runs, later appends gather, and go together in the next one. So under load the number of
 * syncs is bounded by the disk, and each append waits for at most two of them.
 *
 * After a failed write or sync nobody knows what is on disk, and the system may have dropped the dirty pages, so that a later sync
 * would succeed over a hole. Hence the first failure is final (L18).
 */
export class GroupCommitLog implements ResultLog {
  readonly epoch: Epoch;
  readonly #path: string;
  readonly #sink: SegmentSink;
  readonly #waiting: Waiting[] = [];
  #commits: Promise<void> | null = null;
  #failure: RolloutError | null = null;
  #closing: Promise<void> | null = null;

  constructor(epoch: Epoch, path: string, sink: SegmentSink) {
    this.epoch = epoch;
    this.#path = path;
    this.#sink = sink;
  }

  append(frames: readonly Frame[]): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#closing !== null) return Promise.reject(new RolloutError('RESULT_LOG_FAILED', `the result log ${this.#path} is closed`));
    if (frames.length === 0) return Promise.resolve();
    const bytes = frames.reduce((sum, frame) => sum + frameBytes(frame), 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frames, bytes, resolve, reject });
      this.#commits ??= this.#commitAll();
    });
  }

  /** Waits for the appends made before it; later ones are refused. Safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#closeOnce();
    return this.#closing;
  }

  async #closeOnce(): Promise<void> {
    await this.#commits;
    await this.#sink.close();
  }

  /** Never rejects: each append hears of its own fate. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#sink.write(encodeFrames(this.epoch, framesOf(group)));
        await this.#sink.sync();
        for (const waiting of group) waiting.resolve();
      } catch (error) {
        this.#fail(group, error);
      }
    }
    this.#commits = null;
  }

  #takeGroup(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting, at) => {
      bytes += waiting.bytes;
      return at > 0 && bytes > MAX_WRITE_BYTES;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  #fail(group: readonly Waiting[], cause: unknown): void {
    const message = `cannot write the result log ${this.#path}: ${(cause as Error).message}; what was acknowledged is safe, start again when the disk is well`;
    this.#failure = new RolloutError('RESULT_LOG_FAILED', message, { cause });
    for (const waiting of [...group, ...this.#waiting.splice(0)]) waiting.reject(this.#failure);
  }
}
