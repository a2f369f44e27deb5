import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../runtime/base/random.ts';
import type { Place } from '../../runtime/ledger/contract.ts';
import type { Epoch } from '../../runtime/model/row.ts';
import type { ResultLog } from '../../runtime/results/contract.ts';
import { GroupCommitLog, type SegmentSink } from '../../runtime/results/log.ts';
import { segmentName } from '../../runtime/results/place.ts';
import { decodeFrame, decodeHeader, encodeHeader, SEGMENT_HEADER_BYTES } from '../../runtime/results/segment.ts';
import { RuleBroken } from './rule-broken.ts';
import type { SimProcess } from './sim-process.ts';
import { pick } from './swarm.ts';
import type { World } from './world.ts';

export const PLACE: Place = { placeId: 'place', runId: 'run' };

const SLOW_WRITE_MS = 2_000;

/** One segment's bytes: what is written, and how much of it a sync has made durable. */
interface Segment {
  readonly epoch: Epoch;
  bytes: Buffer;
  syncedBytes: number;
  /** Up to here frames have been looked at. */
  readBytes: number;
}

/** The directory of the result log: it lasts, but of what was not synced a crash leaves what it likes. */
export class SimDisk {
  fullUntilMs = 0;
  epochMark = -1;
  readonly #world: World;
  readonly #random: Random;
  readonly #segments = new Map<Epoch, Segment>();
  readonly #durable = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#random = world.stream('disk');
  }

  /** L18: is a frame of this attempt in the synced part of a segment? */
  isDurable(index: number, attempt: number): boolean {
    return this.#durable.has(`${index}/${attempt}`);
  }

  epochs(): readonly Epoch[] {
    return [...this.#segments.keys()];
  }

  /** Where the whole frames of a segment end, and every reader has to stop (L17). */
  wholeBytes(epoch: Epoch): number {
    const bytes = this.#segments.get(epoch)?.bytes ?? Buffer.alloc(0);
    let at = SEGMENT_HEADER_BYTES;
    if (typeof decodeHeader(bytes) === 'string') return 0;
    for (let next = decodeFrame(bytes, at, epoch); next.kind === 'frame'; next = decodeFrame(bytes, at, epoch)) at += next.bytes;
    return at;
  }

  /** As `createResultLog` does it: exclusively, header first. */
  async createLog(process: SimProcess, epoch: Epoch): Promise<ResultLog> {
    this.#world.hold('L17', !this.#segments.has(epoch), `the segment of epoch ${epoch} was created twice`);
    const segment: Segment = { epoch, bytes: Buffer.alloc(0), syncedBytes: 0, readBytes: SEGMENT_HEADER_BYTES };
    this.#segments.set(epoch, segment);
    const sink = this.#sink(process, segment);
    await sink.write(encodeHeader({ epoch, placeId: PLACE.placeId }));
    await sink.sync();
    return new GroupCommitLog(epoch, segmentName(epoch), sink);
  }

  /** What the readers of a real directory will find. */
  writeTo(dir: string): void {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'place.json'), JSON.stringify({ version: 1, ...PLACE }));
    for (const { epoch, bytes } of this.#segments.values()) writeFileSync(join(dir, segmentName(epoch)), bytes);
  }

  #sink(process: SimProcess, segment: Segment): SegmentSink {
    const takes = (run: () => void): Promise<void> => this.#takes(process, run);
    process.onDeath(() => this.#onCrash(segment));
    return {
      write: (bytes) => {
        const isLeft = process.onDeath(() => this.#put(segment, bytes, this.#random.next()));
        return takes(() => {
          isLeft();
          if (process.isDead) return;
          const isFull = this.#world.queue.nowMs < this.fullUntilMs;
          this.#put(segment, bytes, isFull ? this.#random.next() : 1);
          if (isFull) throw new Error('ENOSPC: no space left on the disk of the simulation');
        });
      },
      sync: () => {
        const upTo = segment.bytes.length;
        return takes(() => {
          if (process.isDead) return;
          if (this.#world.faults.strikes('sync-failed')) {
            // The system drops the pages that it could not write, and a later sync succeeds over the hole.
            segment.bytes.fill(0, segment.syncedBytes, upTo);
            throw new Error('EIO: the disk of the simulation');
          }
          segment.syncedBytes = upTo;
          this.#readSynced(segment);
        });
      },
      close: async () => undefined,
    };
  }

  /** The system goes on with a write whose process is stopped. */
  #takes(process: SimProcess, run: () => void): Promise<void> {
    const isSlow = this.#world.faults.strikes('write-slow');
    const ms = this.#random.next() * (isSlow ? SLOW_WRITE_MS : this.#world.plan.travelMs);
    return new Promise((resolve, reject) => {
      this.#world.queue.after(ms, () => {
        try {
          run();
          process.whenOn(resolve);
        } catch (cause) {
          const failure = cause instanceof Error ? cause : new Error(String(cause));
          process.whenOn(() => reject(failure));
        }
      });
    });
  }

  #put(segment: Segment, bytes: Uint8Array, share: number): void {
    segment.bytes = Buffer.concat([segment.bytes, bytes.subarray(0, Math.floor(bytes.length * share))]);
  }

  #readSynced(segment: Segment): void {
    const synced = segment.bytes.subarray(0, segment.syncedBytes);
    while (segment.readBytes < synced.length) {
      const decoded = decodeFrame(synced, segment.readBytes, segment.epoch);
      if (decoded.kind !== 'frame') throw new RuleBroken('L18', `a synced segment is not whole at byte ${segment.readBytes}`);
      this.#durable.add(`${decoded.frame.index}/${decoded.frame.attempt}`);
      segment.readBytes += decoded.bytes;
    }
  }

  /** The process is gone; with the power goes also what was not synced: cut, full of zeros, or with a hole, pages having been written out of order. */
  #onCrash(segment: Segment): void {
    const unsynced = segment.bytes.length - segment.syncedBytes;
    if (unsynced <= 0 || !this.#world.faults.strikes('power-lost')) return;
    const whole = segment.syncedBytes + Math.floor(this.#random.next() * unsynced);
    const kind = pick(this.#random, ['torn tail', 'zero-filled tail', 'hole before the tail']);
    this.#world.coverage.count(kind);
    if (kind === 'torn tail') segment.bytes = segment.bytes.subarray(0, whole);
    else if (kind === 'zero-filled tail') segment.bytes.fill(0, whole);
    else segment.bytes.fill(0, segment.syncedBytes, whole);
  }
}
