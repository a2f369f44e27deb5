import { join } from 'node:path';
import { type ItemRef, refKey } from '../../runtime/model/row.ts';
import type { Outcome, Poll } from '../../runtime/model/session.ts';
import { decodeFrame, SEGMENT_HEADER_BYTES } from '../../runtime/results/log/segment.ts';
import type { Checking } from './checking.ts';
import type { SimFile, SimFiles } from './sim-files.ts';
import type { FileWatcher } from './sim-mount.ts';

interface Read {
  /** Up to here frames have been looked at. */
  bytes: number;
  readonly keys: Set<string>;
}

const FILE = /^(\d{10})\.seg$/;

/** What a worker stores stays until it is acknowledged, over all deaths (L33, L34): seen at its disk and at what it says. */
export class OutboxChecker implements FileWatcher {
  readonly #checking: Checking;
  readonly #worker: string;
  readonly #files: SimFiles;
  readonly #dir: string;
  readonly #read = new Map<SimFile, Read>();
  /** Said to be stored, and not forgotten since. */
  readonly #stored = new Set<string>();
  /** Of the process that lives: found, and not forgotten since. */
  readonly #found = new Set<string>();
  #askedEpoch = 0;
  #keptEpoch = 0;

  constructor(checking: Checking, worker: string, files: SimFiles, dir: string) {
    this.#checking = checking;
    this.#worker = worker;
    this.#files = files;
    this.#dir = dir;
  }

  onOpened(path: string, flags: string): void {
    if (path.endsWith('.seg')) this.#hold('L34', flags === 'wx', `${path} was opened with ${flags}`);
  }

  onRenamed(): void {
    // Whether anything was lost by that shows when the next process opens the store.
  }

  onSynced(path: string, file: SimFile): void {
    const number = FILE.exec(path.split('/').at(-1) ?? '')?.[1];
    if (number === undefined) return;
    const read = this.#read.get(file) ?? { bytes: SEGMENT_HEADER_BYTES, keys: new Set<string>() };
    this.#read.set(file, read);
    const synced = file.bytes.subarray(0, file.syncedBytes);
    while (read.bytes < synced.length) {
      const decoded = decodeFrame(synced, read.bytes, Number(number));
      // A short write ends in the middle of a frame.
      if (decoded.kind === 'more') return;
      if (decoded.kind !== 'frame') return this.#hold('L34', false, `a synced file of the outbox is not whole at byte ${read.bytes}`);
      read.keys.add(refKey({ ...decoded.frame, claimEpoch: 0 }));
      read.bytes += decoded.bytes;
    }
  }

  /** In the synced part of a file whose name is on disk. */
  isDurable(ref: ItemRef): boolean {
    const files = this.#files.list(this.#dir).map((name) => this.#files.durableFile(join(this.#dir, name)));
    return files.some((file) => file !== null && this.#read.get(file)?.keys.has(refKey(ref)) === true);
  }

  onFound(found: readonly Outcome[], highestEpoch: number): void {
    this.#found.clear();
    for (const outcome of found) this.#found.add(refKey(outcome));
    for (const key of this.#stored)
      this.#hold('L34', this.#found.has(key), `${this.#worker} stored its outcome of ${key}, and does not find it`);
    for (const one of found)
      this.#hold('L34', this.isDurable(one), `${this.#worker} goes on with ${refKey(one)}, which a power cut may take`);
    for (const key of this.#found) this.#stored.add(key);
    this.#hold('L33', highestEpoch >= this.#keptEpoch, `${this.#worker} had kept epoch ${this.#keptEpoch}, and finds ${highestEpoch}`);
    this.#askedEpoch = highestEpoch;
    this.#keptEpoch = highestEpoch;
    if (found.length > 0) this.#checking.count('outbox found');
  }

  /** What is asked for after an epoch is not on disk before it. */
  onStored(outcomes: readonly Outcome[], epochBefore: number): void {
    for (const outcome of outcomes) this.#stored.add(refKey(outcome));
    this.#hold('L33', this.#keptEpoch >= epochBefore, `${this.#worker} stored an outcome before epoch ${epochBefore}`);
  }

  get askedEpoch(): number {
    return this.#askedEpoch;
  }

  onEpochAsked(epoch: number): void {
    this.#askedEpoch = Math.max(this.#askedEpoch, epoch);
  }

  onEpochKept(epoch: number): void {
    this.#keptEpoch = Math.max(this.#keptEpoch, epoch);
  }

  onForgotten(refs: readonly ItemRef[]): void {
    for (const ref of refs) {
      this.#stored.delete(refKey(ref));
      this.#found.delete(refKey(ref));
    }
  }

  /** L26, L34: the hello names as finished what was found. */
  onPollSent({ hello }: Poll): void {
    if (hello === null) return;
    const finished = new Set(hello.filter(({ state }) => state === 'finished').map(refKey));
    for (const key of this.#found) this.#hold('L34', finished.has(key), `${this.#worker} has found ${key}, and its hello does not name it`);
  }

  #hold(rule: string, condition: boolean, message: string): void {
    this.#checking.hold(rule, condition, message);
  }
}
