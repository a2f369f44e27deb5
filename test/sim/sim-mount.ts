import type { Disk, DiskFile } from '../../runtime/base/fs/disk.ts';
import type { DurableFile } from '../../runtime/base/fs/durable-file.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { FaultKind } from './fault-kinds.ts';
import { type SimFile, type SimFiles, systemError } from './sim-files.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const SLOW_WRITE_MS = 2_000;
/** A system may write less than it was asked to. */
const SHORT_WRITE_SHARE = 0.1;
const WHOLE_AT_DEATH_SHARE = 0.5;

/** Who looks at what happens to the files. */
export interface FileWatcher {
  onOpened(path: string, flags: string): void;
  /** `to` is empty where the file was removed. */
  onRenamed(from: string, to: string): void;
  onSynced(path: string, file: SimFile): void;
}

export interface MountTerms {
  readonly files: SimFiles;
  readonly watcher: FileWatcher;
  /** What may go wrong on this disk. */
  readonly faults: Readonly<Record<'isSlow' | 'isSyncFailed' | 'isCut' | 'isLost', FaultKind>>;
  readonly isFull: () => boolean;
  readonly random: Random;
}

/** The calls of one process. What it has under way when it dies is done in part, or not. */
export class SimMount {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #terms: MountTerms;
  readonly #writing = new Set<() => void>();
  #isCut = false;

  constructor(world: World, process: SimProcess, terms: MountTerms) {
    this.#world = world;
    this.#process = process;
    this.#terms = terms;
    process.onDeath(() => this.#onDeath());
  }

  disk(): Disk {
    const { files, watcher } = this.#terms;
    const process = this.#process;
    const change = <T>(run: () => T): Promise<T> => this.#takes(() => this.#unlessFull(run));
    return {
      open: (path, flags) => (flags === 'r' ? Promise.resolve(this.#folder(path)) : change(() => this.#create(path, flags))),
      createDurable: (path) => change(() => this.#createDurable(path)),
      mkdir: (path) => change(() => files.makeFolders(process, path)),
      link: (existing, path) => change(() => files.link(process, existing, path)),
      rename: (from, to) => change(() => watcher.onRenamed(from, to) ?? files.rename(process, from, to)),
      rm: (path) => this.#takes(() => watcher.onRenamed(path, '') ?? files.remove(process, path)),
      readdir: async (path) => [...files.list(path)],
      readFile: async (path) => this.#file(path).bytes.toString('utf8'),
      readBytes: async (path) => Buffer.from(this.#file(path).bytes),
      truncate: (path, bytes) => this.#takes(() => this.#file(path).truncate(bytes)),
    };
  }

  #file(path: string): SimFile {
    const file = this.#terms.files.file(path);
    if (file === null) throw systemError('ENOENT', path);
    return file;
  }

  #folder(path: string): DiskFile {
    const sync = (): Promise<void> => this.#takes(() => this.#terms.files.syncFolder(path));
    const refuse = (): never => {
      throw systemError('EISDIR', path);
    };
    return { writeFile: refuse, chmod: refuse, sync, close: async () => undefined };
  }

  #create(path: string, flags: string): DiskFile {
    const file = this.#newFile(path, flags);
    return {
      writeFile: async (contents) => {
        let left: Uint8Array = Buffer.from(contents);
        while (left.length > 0) left = left.subarray((await this.#write(file, left)).bytesWritten);
      },
      chmod: async () => undefined,
      sync: () => this.#takes(() => this.#sync(path, file)),
      close: async () => undefined,
    };
  }

  #createDurable(path: string): DurableFile {
    const file = this.#newFile(path, 'wx');
    return {
      write: (bytes, offset) => this.#writeDurably(path, file, bytes.subarray(offset)),
      close: async () => undefined,
    };
  }

  #newFile(path: string, flags: string): SimFile {
    this.#terms.watcher.onOpened(path, flags);
    return this.#terms.files.create(this.#process, path);
  }

  #write(file: SimFile, bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> {
    return this.#unlessDead(
      () => void this.#append(file, bytes, this.#terms.random.next()),
      () => this.#appendUnlessFull(file, bytes),
    );
  }

  /** It ends with a sync of what it wrote. Who dies in it leaves a part of the bytes, or all of them, which may be on disk already. */
  #writeDurably(path: string, file: SimFile, bytes: Uint8Array): Promise<{ readonly bytesWritten: number }> {
    return this.#unlessDead(
      () => {
        const isWhole = this.#terms.random.next() < WHOLE_AT_DEATH_SHARE;
        this.#append(file, bytes, isWhole ? 1 : this.#terms.random.next());
        if (isWhole && this.#terms.random.next() < WHOLE_AT_DEATH_SHARE) this.#makeDurable(path, file);
      },
      () => {
        const written = this.#appendUnlessFull(file, bytes);
        this.#sync(path, file);
        return written;
      },
    );
  }

  #append(file: SimFile, bytes: Uint8Array, share: number): number {
    const bytesWritten = Math.floor(bytes.length * share);
    file.append(bytes.subarray(0, bytesWritten));
    return bytesWritten;
  }

  #appendUnlessFull(file: SimFile, bytes: Uint8Array): { readonly bytesWritten: number } {
    const { isFull, random } = this.#terms;
    if (isFull()) this.#append(file, bytes, random.next());
    return this.#unlessFull(() => ({ bytesWritten: this.#append(file, bytes, random.next() < SHORT_WRITE_SHARE ? random.next() : 1) }));
  }

  #sync(path: string, file: SimFile): void {
    if (this.#world.faults.strikes(this.#terms.faults.isSyncFailed)) {
      // The system drops the pages that it could not write, and a later sync succeeds over the hole.
      file.bytes.fill(0, file.syncedBytes);
      throw systemError('EIO', 'the disk of the simulation');
    }
    this.#makeDurable(path, file);
  }

  #makeDurable(path: string, file: SimFile): void {
    file.syncedBytes = file.bytes.length;
    this.#terms.watcher.onSynced(path, file);
  }

  #unlessDead<T>(atDeath: () => void, run: () => T): Promise<T> {
    this.#writing.add(atDeath);
    return this.#takes(() => {
      this.#writing.delete(atDeath);
      return run();
    });
  }

  #unlessFull<T>(run: () => T): T {
    if (this.#terms.isFull()) throw systemError('ENOSPC', 'no space left on the disk of the simulation');
    return run();
  }

  /** The system goes on with a call whose process is stopped. */
  #takes<T>(run: () => T): Promise<T> {
    const isSlow = this.#world.faults.strikes(this.#terms.faults.isSlow);
    const ms = this.#terms.random.next() * (isSlow ? SLOW_WRITE_MS : this.#world.plan.travelMs);
    if (this.#world.faults.strikes(this.#terms.faults.isCut)) this.#world.queue.after(this.#terms.random.next() * ms, () => this.#cut());
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
    if (!this.#isCut && !this.#world.faults.strikes(this.#terms.faults.isLost)) return;
    for (const what of this.#terms.files.losePower(this.#terms.random)) this.#world.coverage.count(what);
  }
}
