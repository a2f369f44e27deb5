import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk, DiskFile } from '../../runtime/base/disk.ts';
import type { Random } from '../../runtime/base/random.ts';
import { type StateFiles, stateFiles } from '../../runtime/coordinator/files.ts';
import type { Epoch } from '../../runtime/model/row.ts';
import { segmentName } from '../../runtime/results/place.ts';
import { decodeFrame, decodeHeader, SEGMENT_HEADER_BYTES } from '../../runtime/results/segment.ts';
import { SegmentChecker } from './segment-checker.ts';
import { type SimFile, SimFiles, systemError } from './sim-files.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

export const RUN_ID = 'run';
/** The state directory of every coordinator is the top of the disk, which is a shared one. */
export const STATE: StateFiles = stateFiles('/');

const SLOW_WRITE_MS = 2_000;
/** A system may write less than it was asked to. */
const SHORT_WRITE_SHARE = 0.1;

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
    this.segments = new SegmentChecker(world, this.files, STATE.segments);
  }

  /** As one process reaches it. */
  connect(process: SimProcess): Disk {
    return new Mount(this.#world, this, process, this.#random).disk();
  }

  /** L18: is a frame of this attempt in the synced part of a segment, and that one's name on disk? */
  isDurable(index: number, attempt: number): boolean {
    return this.segments.isDurable(index, attempt);
  }

  /** Where the whole frames of a segment end, and every reader has to stop (L17). */
  wholeBytes(epoch: Epoch): number {
    const bytes = this.files.file(join(STATE.segments, segmentName(epoch)))?.bytes ?? Buffer.alloc(0);
    let at = SEGMENT_HEADER_BYTES;
    if (typeof decodeHeader(bytes) === 'string') return 0;
    for (let next = decodeFrame(bytes, at, epoch); next.kind === 'frame'; next = decodeFrame(bytes, at, epoch)) at += next.bytes;
    return at;
  }

  /** Of each item with a frame the one that counts: in the highest epoch, the last in it (L21). */
  lastFrames(): ReadonlyMap<number, { readonly epoch: Epoch; readonly attempt: number }> {
    const last = new Map<number, { readonly epoch: Epoch; readonly attempt: number }>();
    for (const epoch of this.epochs()) {
      const bytes = this.files.file(join(STATE.segments, segmentName(epoch)))?.bytes ?? Buffer.alloc(0);
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
    const names = this.files.list(STATE.segments).filter((name) => name.endsWith('.seg'));
    return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
  }

  /** What the readers of a real directory will find. */
  writeTo(dir: string): void {
    mkdirSync(dir, { recursive: true });
    for (const name of this.files.list(STATE.segments)) {
      writeFileSync(join(dir, name), this.files.file(join(STATE.segments, name))?.bytes ?? '');
    }
  }
}

/** The calls of one process. What it has under way when it dies is done in part, or not. */
class Mount {
  readonly #world: World;
  readonly #disk: SimDisk;
  readonly #process: SimProcess;
  readonly #random: Random;
  readonly #writing = new Set<() => void>();
  #isCut = false;

  constructor(world: World, disk: SimDisk, process: SimProcess, random: Random) {
    this.#world = world;
    this.#disk = disk;
    this.#process = process;
    this.#random = random;
    process.onDeath(() => this.#onDeath());
  }

  disk(): Disk {
    const { files, segments } = this.#disk;
    const process = this.#process;
    const change = <T>(run: () => T): Promise<T> => this.#takes(() => this.#unlessFull(run));
    return {
      open: (path, flags) => (flags === 'r' ? Promise.resolve(this.#folder(path)) : change(() => this.#create(path, flags))),
      mkdir: (path) => change(() => files.makeFolders(process, path)),
      link: (existing, path) => change(() => files.link(process, existing, path)),
      rename: (from, to) => change(() => segments.onRenamed(from, to) ?? files.rename(process, from, to)),
      rm: (path) => this.#takes(() => segments.onRenamed(path, '') ?? files.remove(process, path)),
      readdir: async (path) => [...files.list(path)],
      readFile: async (path) => this.#read(path),
    };
  }

  #read(path: string): string {
    const file = this.#disk.files.file(path);
    if (file === null) throw systemError('ENOENT', path);
    return file.bytes.toString('utf8');
  }

  #folder(path: string): DiskFile {
    const sync = (): Promise<void> => this.#takes(() => this.#disk.files.syncFolder(path));
    const refuse = (): never => {
      throw systemError('EISDIR', path);
    };
    return { write: refuse, writeFile: refuse, chmod: refuse, sync, datasync: sync, close: async () => undefined };
  }

  #create(path: string, flags: string): DiskFile {
    this.#disk.segments.onOpened(path, flags);
    const file = this.#disk.files.create(this.#process, path);
    const write = (bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> => this.#write(file, bytes);
    const sync = (): Promise<void> => this.#sync(path, file);
    return {
      write: (bytes, offset) => write(bytes.subarray(offset)),
      writeFile: async (contents) => {
        let left: Uint8Array = Buffer.from(contents);
        while (left.length > 0) left = left.subarray((await write(left)).bytesWritten);
      },
      chmod: async () => undefined,
      sync,
      datasync: sync,
      close: async () => undefined,
    };
  }

  #write(file: SimFile, bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> {
    const part = (share: number): number => {
      const bytesWritten = Math.floor(bytes.length * share);
      file.append(bytes.subarray(0, bytesWritten));
      return bytesWritten;
    };
    const atDeath = (): void => void part(this.#random.next());
    this.#writing.add(atDeath);
    return this.#takes(() => {
      this.#writing.delete(atDeath);
      if (this.#isFull()) part(this.#random.next());
      return this.#unlessFull(() => ({ bytesWritten: part(this.#random.next() < SHORT_WRITE_SHARE ? this.#random.next() : 1) }));
    });
  }

  #sync(path: string, file: SimFile): Promise<void> {
    const upTo = file.bytes.length;
    return this.#takes(() => {
      if (this.#world.faults.strikes('sync-failed')) {
        // The system drops the pages that it could not write, and a later sync succeeds over the hole.
        file.bytes.fill(0, file.syncedBytes, upTo);
        throw systemError('EIO', 'the disk of the simulation');
      }
      file.syncedBytes = upTo;
      this.#disk.segments.onSynced(path, file);
    });
  }

  #isFull(): boolean {
    return this.#world.queue.nowMs < this.#disk.fullUntilMs;
  }

  #unlessFull<T>(run: () => T): T {
    if (this.#isFull()) throw systemError('ENOSPC', 'no space left on the disk of the simulation');
    return run();
  }

  /** The system goes on with a call whose process is stopped. */
  #takes<T>(run: () => T): Promise<T> {
    const isSlow = this.#world.faults.strikes('write-slow');
    const ms = this.#random.next() * (isSlow ? SLOW_WRITE_MS : this.#world.plan.travelMs);
    if (this.#world.faults.strikes('power-cut')) this.#world.queue.after(this.#random.next() * ms, () => this.#cut());
    return new Promise((resolve, reject) => {
      this.#world.queue.after(ms, () => {
        if (this.#process.isDead) return;
        try {
          const done = run();
          this.#process.whenOn(() => resolve(done));
        } catch (cause) {
          const failure = cause instanceof Error ? cause : new Error(String(cause));
          this.#process.whenOn(() => reject(failure));
        }
      });
    });
  }

  #cut(): void {
    this.#isCut = true;
    this.#world.onPowerCut(this.#process);
  }

  /** The process is gone; with the power goes also what neither it nor those that died before have synced. */
  #onDeath(): void {
    for (const write of this.#writing) write();
    if (!this.#isCut && !this.#world.faults.strikes('power-lost')) return;
    for (const what of this.#disk.files.losePower(this.#random)) this.#world.coverage.count(what);
  }
}
