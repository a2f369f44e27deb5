import { basename, dirname } from 'node:path';
import type { Random } from '../../runtime/base/random.ts';
import type { SimProcess } from './sim-process.ts';
import { pick } from './swarm.ts';

/** A file: what is written, and how much of it a sync has made durable. It may have several names, or none any more. */
export class SimFile {
  bytes: Buffer = Buffer.alloc(0);
  syncedBytes = 0;
  readonly writer: SimProcess;

  constructor(writer: SimProcess) {
    this.writer = writer;
  }

  append(bytes: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  /** A power cut may bring the rest back no more than it may keep what was never synced: nobody relies on either. */
  truncate(bytes: number): void {
    this.bytes = this.bytes.subarray(0, bytes);
    this.syncedBytes = Math.min(this.syncedBytes, bytes);
  }
}

type Entry = SimFile | SimFolder;

/** One call that changed names, whole or not at all. `by` is null for one that has outlived a power cut. */
interface Change {
  readonly names: readonly (readonly [name: string, entry: Entry | null])[];
  by: SimProcess | null;
}

/** A folder: the names that are on disk, and the changes of them that no sync has made durable yet. */
class SimFolder {
  readonly durable = new Map<string, Entry>();
  #changes: Change[] = [];

  /** What every process sees. */
  visible(): ReadonlyMap<string, Entry> {
    const names = new Map(this.durable);
    for (const change of this.#changes) apply(names, change);
    return names;
  }

  change(by: SimProcess | null, ...names: Change['names']): void {
    this.#changes.push({ by, names });
  }

  sync(): void {
    for (const change of this.#changes) apply(this.durable, change);
    this.#changes = [];
  }

  /** Of the changes that nobody synced a power cut leaves the first ones, or any. Answers how many are gone. */
  losePower(random: Random, isOff: (by: SimProcess) => boolean): number {
    const atStake = this.#changes.filter(({ by }) => by !== null && isOff(by));
    const isInOrder = random.next() < 0.5;
    const kept = Math.floor(random.next() * (atStake.length + 1));
    const lost = new Set(atStake.filter((_, at) => (isInOrder ? at >= kept : random.next() < 0.5)));
    for (const change of atStake) change.by = null;
    this.#changes = this.#changes.filter((change) => !lost.has(change));
    return lost.size;
  }
}

function apply(names: Map<string, Entry>, { names: changed }: Change): void {
  for (const [name, entry] of changed) {
    if (entry === null) names.delete(name);
    else names.set(name, entry);
  }
}

/** Files and folders below `/`, which is there from the beginning. */
export class SimFiles {
  readonly #root = new SimFolder();
  readonly #files: SimFile[] = [];

  file(path: string): SimFile | null {
    const entry = this.#entry(path, (folder) => folder.visible());
    return entry instanceof SimFile ? entry : null;
  }

  /** Null where a power cut may take the name, or that of a folder above. */
  durableFile(path: string): SimFile | null {
    const entry = this.#entry(path, (folder) => folder.durable);
    return entry instanceof SimFile ? entry : null;
  }

  isThere(path: string): boolean {
    return this.#entry(path, (folder) => folder.visible()) !== undefined;
  }

  list(path: string): readonly string[] {
    return [...this.#folder(path).visible().keys()].toSorted();
  }

  /** Answers the first folder that was not there. */
  makeFolders(by: SimProcess, path: string): string | undefined {
    if (path === '/' || this.#entry(path, (folder) => folder.visible()) !== undefined) return undefined;
    const first = this.makeFolders(by, dirname(path));
    this.#folder(dirname(path)).change(by, [basename(path), new SimFolder()]);
    return first ?? path;
  }

  /** As O_EXCL has it. */
  create(by: SimProcess, path: string): SimFile {
    if (this.#entry(path, (folder) => folder.visible()) !== undefined) throw systemError('EEXIST', path);
    const file = new SimFile(by);
    this.#files.push(file);
    this.#folder(dirname(path)).change(by, [basename(path), file]);
    return file;
  }

  link(by: SimProcess, existing: string, path: string): void {
    if (this.file(path) !== null) throw systemError('EEXIST', path);
    this.#folder(dirname(path)).change(by, [basename(path), this.#fileAt(existing)]);
  }

  rename(by: SimProcess, from: string, to: string): void {
    this.#folder(dirname(to)).change(by, [basename(from), null], [basename(to), this.#fileAt(from)]);
  }

  remove(by: SimProcess, path: string): void {
    if (this.file(path) !== null) this.#folder(dirname(path)).change(by, [basename(path), null]);
  }

  syncFolder(path: string): void {
    this.#folder(path).sync();
  }

  /** What the dead have not synced goes with the power. Answers what became of it. */
  losePower(random: Random): readonly string[] {
    const isOff = (by: SimProcess): boolean => by.isDead;
    const lost = this.#files.flatMap((file) => (isOff(file.writer) ? (loseBytes(random, file) ?? []) : []));
    const names = this.#folders(this.#root).reduce((sum, folder) => sum + folder.losePower(random, isOff), 0);
    return names > 0 ? [...lost, 'name lost at a power cut'] : lost;
  }

  #folders(top: SimFolder): readonly SimFolder[] {
    const below = [...top.visible().values()].filter((entry) => entry instanceof SimFolder);
    return [top, ...below.flatMap((folder) => this.#folders(folder))];
  }

  #fileAt(path: string): SimFile {
    const file = this.file(path);
    if (file === null) throw systemError('ENOENT', path);
    return file;
  }

  #folder(path: string): SimFolder {
    const entry = this.#entry(path, (folder) => folder.visible());
    if (entry instanceof SimFolder) return entry;
    throw systemError('ENOENT', path);
  }

  #entry(path: string, namesOf: (folder: SimFolder) => ReadonlyMap<string, Entry>): Entry | undefined {
    let entry: Entry | undefined = this.#root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      entry = entry instanceof SimFolder ? namesOf(entry).get(name) : undefined;
    }
    return entry;
  }
}

/** Cut, full of zeros, or with a hole, pages having been written out of order; null where everything was synced. */
function loseBytes(random: Random, file: SimFile): string | null {
  const unsynced = file.bytes.length - file.syncedBytes;
  if (unsynced <= 0) return null;
  const whole = file.syncedBytes + Math.floor(random.next() * unsynced);
  const kind = pick(random, ['torn tail', 'zero-filled tail', 'hole before the tail']);
  const bytes = Buffer.from(file.bytes);
  if (kind === 'zero-filled tail') bytes.fill(0, whole);
  if (kind === 'hole before the tail') bytes.fill(0, file.syncedBytes, whole);
  file.bytes = kind === 'torn tail' ? bytes.subarray(0, whole) : bytes;
  file.syncedBytes = file.bytes.length;
  return kind;
}

export function systemError(code: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
