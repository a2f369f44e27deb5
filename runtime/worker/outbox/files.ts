import { join } from 'node:path';
import { assert, mustGet } from '../../base/assert.ts';
import type { Disk } from '../../base/fs/disk.ts';
import type { Outcome } from '../../model/session.ts';
import type { ResultLog } from '../../results/log/contract.ts';
import { createResultLog } from '../../results/log/log.ts';
import { frameBytes, SEGMENT_HEADER_BYTES } from '../../results/log/segment.ts';
import { directoryPlace } from '../../results/place/directory.ts';
import { segmentName } from '../../results/place/segment-name.ts';
import { toFrames } from './outcome-frame.ts';
import { OUTBOX_PLACE } from './scan.ts';

/** A file that has so much in it is not continued, so that it can be removed once all in it is acknowledged. */
export interface FileLimits {
  readonly fileBytes: number;
  readonly fileOutcomes: number;
}

/** One file of the outbox. */
export interface OutboxFile {
  readonly number: number;
  readonly path: string;
  /** As many bytes of the file with the number below were on disk when this one was begun; 0 where there was none. */
  readonly before: number;
  /** As far as it is on disk. */
  bytes: number;
  outcomes: number;
  /** How many of them are not acknowledged. */
  open: number;
}

/** The files of the outbox: the last one is appended to, each batch with one durable write; those before it only wait to be removed. */
export class OutboxFiles {
  readonly #dir: string;
  readonly #disk: Disk;
  readonly #limits: FileLimits;
  readonly #files = new Set<OutboxFile>();
  #last: { readonly file: OutboxFile; readonly log: ResultLog } | null = null;
  #ended: OutboxFile | null = null;
  #nextNumber: number;

  constructor(dir: string, disk: Disk, limits: FileLimits, nextNumber: number) {
    this.#dir = dir;
    this.#disk = disk;
    this.#limits = limits;
    this.#nextNumber = nextNumber;
  }

  get bytes(): number {
    return [...this.#files].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get outcomes(): number {
    return [...this.#files].reduce((sum, { outcomes }) => sum + outcomes, 0);
  }

  /** The file in which they are on disk. A rejection leaves nothing behind that the next append is written after. */
  async append(outcomes: readonly Outcome[]): Promise<OutboxFile> {
    if (this.#last !== null && this.#isFull(this.#last.file)) await this.endLast();
    this.#last ??= await this.#begin();
    const { file, log } = this.#last;
    const frames = toFrames(outcomes, { batchAt: file.bytes, before: file.before });
    try {
      await log.append(frames);
    } catch (error) {
      await this.#giveUp();
      throw error;
    }
    file.bytes += frames.reduce((sum, frame) => sum + frameBytes(frame), 0);
    file.outcomes += outcomes.length;
    return file;
  }

  /** Nothing is appended to the last file any more. */
  async endLast(): Promise<void> {
    const last = this.#last;
    this.#last = null;
    this.#ended = last?.file ?? this.#ended;
    await last?.log.close();
  }

  /** Removes what holds nothing open, but for the last file. */
  async removeAcknowledged(): Promise<void> {
    for (const file of this.#files) if (file.open === 0 && file !== this.#last?.file) await this.#remove(file);
  }

  async #begin(): Promise<{ readonly file: OutboxFile; readonly log: ResultLog }> {
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const before = this.#ended?.number === number - 1 ? this.#ended.bytes : 0;
    const file = { number, path: join(this.#dir, segmentName(number)), before, bytes: SEGMENT_HEADER_BYTES, outcomes: 0, open: 0 };
    try {
      const place = directoryPlace(this.#dir, this.#disk);
      const created = await createResultLog({ place, epoch: number, identity: { placeId: OUTBOX_PLACE } });
      assert(created.kind === 'created', 'nobody is fenced off a directory');
      this.#files.add(file);
      return { file, log: created.log };
    } catch (error) {
      await this.#disk.rm(file.path, { force: true });
      throw error;
    }
  }

  /** After a write or a sync that failed nobody knows what stands behind the part that is on disk: the file is not continued. */
  async #giveUp(): Promise<void> {
    const { file } = mustGet(this.#last, 'the file that was written to');
    await this.endLast();
    if (file.outcomes === 0) await this.#remove(file);
    else await this.#disk.truncate(file.path, file.bytes);
  }

  async #remove(file: OutboxFile): Promise<void> {
    await this.#disk.rm(file.path, { force: true });
    this.#files.delete(file);
  }

  #isFull({ bytes, outcomes }: OutboxFile): boolean {
    return bytes >= this.#limits.fileBytes || outcomes >= this.#limits.fileOutcomes;
  }
}
