import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../../runtime/base/fs/disk.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { Epoch } from '../../runtime/model/row.ts';
import { decodeFrame, decodeHeader, SEGMENT_HEADER_BYTES } from '../../runtime/results/log/segment.ts';
import { segmentName } from '../../runtime/results/place/segment-name.ts';
import { type StatePaths, statePaths } from '../../runtime/run-dir/paths.ts';
import { SegmentChecker } from './segment-checker.ts';
import { SimFiles } from './sim-files.ts';
import { SimMount } from './sim-mount.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

export const RUN_ID = 'run';
/** The state directory of every coordinator is the top of the disk, which is a shared one. */
export const STATE: StatePaths = statePaths('/');

const FAULTS = { isSlow: 'write-slow', isSyncFailed: 'sync-failed', isCut: 'power-cut', isLost: 'power-lost' } as const;

/** The disk under the state directory. It outlives every process; of what was not synced a power cut leaves what it likes. */
export class SimDisk {
  fullUntilMs = 0;
  readonly files: SimFiles = new SimFiles();
  readonly segments: SegmentChecker;
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.stream('disk');
    this.segments = new SegmentChecker(world, this.files, STATE.segmentsDir);
  }

  /** As one process reaches it. */
  connect(process: SimProcess): Disk {
    const { files, segments } = this;
    return new SimMount(this.#world, process, {
      files,
      watcher: segments,
      faults: FAULTS,
      isFull: () => this.isFull,
      random: this.#random,
    }).disk();
  }

  /** The mark of the state directory, as a power cut leaves it at least (L3). */
  durableMark(): number {
    const names = this.files.isThere(STATE.epochMark) ? this.files.list(STATE.epochMark) : [];
    const durable = names.filter((name) => this.files.durableFile(join(STATE.epochMark, name)) !== null);
    return Math.max(-1, ...durable.map(Number));
  }

  get isFull(): boolean {
    return this.#world.queue.nowMs < this.fullUntilMs;
  }

  /** L18: is a frame of this attempt in the synced part of a segment, and that one's name on disk? */
  isDurable(index: number, attempt: number): boolean {
    return this.segments.isDurable(index, attempt);
  }

  /** Where the whole frames of a segment end, and every reader has to stop (L17). */
  wholeBytes(epoch: Epoch): number {
    const bytes = this.files.file(join(STATE.segmentsDir, segmentName(epoch)))?.bytes ?? Buffer.alloc(0);
    let at = SEGMENT_HEADER_BYTES;
    if (typeof decodeHeader(bytes) === 'string') return 0;
    for (let next = decodeFrame(bytes, at, epoch); next.kind === 'frame'; next = decodeFrame(bytes, at, epoch)) at += next.bytes;
    return at;
  }

  /** Of each item with a frame the one that counts: in the highest epoch, the last in it (L21). */
  lastFrames(): ReadonlyMap<number, { readonly epoch: Epoch; readonly attempt: number }> {
    const last = new Map<number, { readonly epoch: Epoch; readonly attempt: number }>();
    for (const epoch of this.epochs()) {
      const bytes = this.files.file(join(STATE.segmentsDir, segmentName(epoch)))?.bytes ?? Buffer.alloc(0);
      const end = this.wholeBytes(epoch);
      for (let at = SEGMENT_HEADER_BYTES; at < end; ) {
        const decoded = decodeFrame(bytes, at, epoch);
        if (decoded.kind !== 'frame') break;
        last.set(decoded.frame.index, { epoch, attempt: decoded.frame.attempt });
        at += decoded.bytes;
      }
    }
    return last;
  }

  /** Ascending. */
  epochs(): readonly Epoch[] {
    const names = this.files.list(STATE.segmentsDir).filter((name) => name.endsWith('.seg'));
    return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
  }

  /** What the readers of a real directory will find. */
  writeTo(dir: string): void {
    mkdirSync(dir, { recursive: true });
    for (const name of this.files.list(STATE.segmentsDir)) {
      writeFileSync(join(dir, name), this.files.file(join(STATE.segmentsDir, name))?.bytes ?? '');
    }
  }
}
