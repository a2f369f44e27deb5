import { basename, dirname, join } from 'node:path';
import type { Epoch } from '../../runtime/model/row.ts';
import { decodeFrame, SEGMENT_HEADER_BYTES } from '../../runtime/results/log/segment.ts';
import { segmentName } from '../../runtime/results/place/segment-name.ts';
import { RuleBroken } from './rule-broken.ts';
import type { SimFile, SimFiles } from './sim-files.ts';
import type { World } from './world.ts';

interface Read {
  /** Up to here frames have been looked at. */
  bytes: number;
  readonly frames: Set<string>;
}

const SEGMENT = /^\d{10}\.seg$/;

/** What happens to the files of the result log (L17, L18), seen at the disk. */
export class SegmentChecker {
  readonly #world: World;
  readonly #files: SimFiles;
  readonly #dir: string;
  readonly #opened = new Set<string>();
  readonly #read = new Map<SimFile, Read>();

  constructor(world: World, files: SimFiles, dir: string) {
    this.#world = world;
    this.#files = files;
    this.#dir = dir;
  }

  onOpened(path: string, flags: string): void {
    if (!this.#isSegment(path)) return;
    this.#world.hold('L17', flags === 'wx', `${basename(path)} was opened with ${flags}`);
    this.#world.hold('L17', !this.#opened.has(path), `${basename(path)} was created twice`);
    this.#opened.add(path);
  }

  onRenamed(from: string, to: string): void {
    for (const path of [from, to]) this.#world.hold('L17', !this.#isSegment(path), `${basename(path)} was renamed or removed`);
  }

  onSynced(path: string, file: SimFile): void {
    if (!this.#isSegment(path)) return;
    const read = this.#read.get(file) ?? { bytes: SEGMENT_HEADER_BYTES, frames: new Set<string>() };
    this.#read.set(file, read);
    const synced = file.bytes.subarray(0, file.syncedBytes);
    const epoch = Number.parseInt(basename(path), 10);
    while (read.bytes < synced.length) {
      const decoded = decodeFrame(synced, read.bytes, epoch);
      // A short write ends in the middle of a frame.
      if (decoded.kind === 'more') return;
      if (decoded.kind !== 'frame') throw new RuleBroken('L18', `a synced segment is not whole at byte ${read.bytes}`);
      read.frames.add(`${decoded.frame.index}/${decoded.frame.attempt}`);
      read.bytes += decoded.bytes;
    }
  }

  /** L18: its header and its name are on disk before the log is given out. */
  onCreated(epoch: Epoch): void {
    const file = this.#files.durableFile(join(this.#dir, segmentName(epoch)));
    this.#world.hold('L18', file !== null, `the name of the segment of epoch ${epoch} is not on disk`);
    this.#world.hold('L18', (file?.syncedBytes ?? 0) >= SEGMENT_HEADER_BYTES, `the header of the segment of epoch ${epoch} is not on disk`);
  }

  isDurable(index: number, attempt: number): boolean {
    const key = `${index}/${attempt}`;
    return [...this.#read].some(([file, { frames }]) => frames.has(key) && this.#isNamed(file));
  }

  #isNamed(file: SimFile): boolean {
    return this.#files.list(this.#dir).some((name) => this.#files.durableFile(join(this.#dir, name)) === file);
  }

  #isSegment(path: string): boolean {
    return dirname(path) === this.#dir && SEGMENT.test(basename(path));
  }
}
