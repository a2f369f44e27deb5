import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type FileStamp, isSameStamp } from '../../base/fs/file-stamp.ts';
import { stateUnwritable } from '../../base/fs/state-error.ts';
import { siblingModule } from '../../base/process/module-path.ts';
import { fromErrorMessage, unreadable } from '../file/input-error.ts';
import type { IndexJob } from './build-index.ts';
import { ENTRY_BYTES } from './entry.ts';
import { type IndexFiles, indexFiles } from './index-files.ts';
import { agree, readIndexSource, writeIndexSource } from './index-source.ts';
import { type IndexSettings, type IndexSummary, readSummary } from './index-summary.ts';
import type { IndexerMessage } from './indexer-thread.ts';

export interface IndexRequest {
  readonly inputPath: string;
  readonly dir: string;
  readonly form: IndexSettings['form'];
  readonly maxLineBytes: number;
  readonly limit?: number | null;
}

/** An index that is being made, or is there already. */
export interface Indexing {
  /** Entries that can be read now. */
  count(): number;
  isComplete(): boolean;
  /** Resolves when so many entries can be read, or all there will be; rejects when the indexing failed or was stopped. */
  waitFor(count: number): Promise<void>;
  readonly done: Promise<IndexSummary>;
  /** Ends the thread. What waits is rejected; the index is made again next time. */
  stop(): Promise<void>;
}

/**
 * Indexes the input in a thread of its own, so that items can be handed out meanwhile. A whole index of the same input (size and
 * mtime) is used as it is; anything else is made again from the first line. An earlier index of the same settings, whole or not, is a
 * promise: where a line of it is not there any more, the indexing fails with INPUT_CHANGED and names that line.
 * Afterwards `openInput` may be called. Throws INPUT_UNREADABLE at once where there is no such file.
 */
export function startIndexing(request: IndexRequest): Indexing {
  const { inputPath, dir, form, maxLineBytes, limit = null } = request;
  const files = indexFiles(dir);
  const stamp = stampOf(inputPath);
  const known = readSummary(files, { form, maxLineBytes, limit }, stamp);
  if (known !== null) {
    restoreSource(dir, files, { form, maxLineBytes, limit }, stamp);
    return completeIndexing(known);
  }
  prepareFiles(dir, files, { form, maxLineBytes, limit }, stamp);
  return new ThreadIndexing({ inputPath, dir, form, maxLineBytes, limit, stamp });
}

/** A whole index says itself what it was made from: `source.json` can be had from that where it is gone or damaged. */
function restoreSource(dir: string, files: IndexFiles, settings: IndexSettings, stamp: FileStamp): void {
  try {
    const source = readIndexSource(files);
    if (source === null || !isSameStamp(source, stamp)) writeIndexSource(files, settings, stamp);
  } catch (error) {
    throw stateUnwritable(dir, error);
  }
}

function completeIndexing(summary: IndexSummary): Indexing {
  return {
    count: () => summary.items,
    isComplete: () => true,
    waitFor: async () => undefined,
    done: Promise.resolve(summary),
    stop: async () => undefined,
  };
}

/** What a line is parsed to dies at once; a larger nursery is no faster, and stays in memory. */
const YOUNG_GENERATION_MB = 8;

interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
  readonly reject: (cause: Error) => void;
}

class ThreadIndexing implements Indexing {
  readonly done: Promise<IndexSummary>;
  readonly #thread: Worker;
  readonly #settle: { resolve: (summary: IndexSummary) => void; reject: (cause: Error) => void };
  #count = 0;
  #isComplete = false;
  #failure: Error | null = null;
  #waiters: Waiter[] = [];

  constructor(job: IndexJob) {
    const { promise, ...settle } = withResolvers<IndexSummary>();
    this.done = promise;
    this.#settle = settle;
    this.#thread = new Worker(siblingModule(import.meta.url, 'indexer-thread'), {
      workerData: job,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#thread.on('message', (message: IndexerMessage) => this.#onMessage(message));
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('the indexing thread ended before the index was whole')));
  }

  count(): number {
    return this.#count;
  }

  isComplete(): boolean {
    return this.#isComplete;
  }

  async waitFor(count: number): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#count >= count || this.#isComplete) return;
    await new Promise<void>((resolve, reject) => this.#waiters.push({ count, resolve, reject }));
  }

  async stop(): Promise<void> {
    // The caller that stops the indexing knows that it will not be done; only callers that wait for it are told.
    this.done.catch(() => undefined);
    this.#fail(new Error('the indexing was stopped'));
    await this.#thread.terminate();
  }

  #onMessage(message: IndexerMessage): void {
    if (message.kind === 'failed') this.#fail(fromErrorMessage(message));
    else if (message.kind === 'written') this.#advance(message.count);
    else this.#complete(message.summary);
  }

  #advance(count: number): void {
    this.#count = count;
    this.#release();
  }

  #complete(summary: IndexSummary): void {
    this.#isComplete = true;
    this.#settle.resolve(summary);
    this.#advance(summary.items);
  }

  #release(): void {
    const isServed = (waiter: Waiter): boolean => this.#isComplete || waiter.count <= this.#count;
    const served = this.#waiters.filter(isServed);
    this.#waiters = this.#waiters.filter((waiter) => !isServed(waiter));
    for (const waiter of served) waiter.resolve();
  }

  #fail(cause: Error): void {
    if (this.#isComplete || this.#failure !== null) return;
    this.#failure = cause;
    this.#settle.reject(cause);
    for (const waiter of this.#waiters) waiter.reject(cause);
    this.#waiters = [];
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (cause: Error) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (cause: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function stampOf(inputPath: string): FileStamp {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(inputPath);
  } catch (error) {
    throw unreadable(inputPath, error);
  }
  if (!stats.isFile()) throw unreadable(inputPath, new Error('it is not a regular file: pass it on standard input'));
  return { size: stats.size, mtimeMs: stats.mtimeMs };
}

/**
 * Keeps the entries of an earlier indexing that these settings agree with, and else makes new, empty files. Old ones are removed and not
 * emptied, so that a process that still reads them keeps reading the old contents; the mark of completeness is removed first.
 */
function prepareFiles(dir: string, files: IndexFiles, settings: IndexSettings, stamp: FileStamp): void {
  try {
    mkdirSync(dir, { recursive: true });
    rmSync(files.complete, { force: true });
    const earlier = readIndexSource(files);
    const entries = [files.offsets, files.reasons];
    const isKept = earlier !== null && agree(earlier, settings) && entries.every((path) => existsSync(path));
    for (const path of [...(isKept ? [] : entries), files.source, ...scratchFiles(dir, files)]) rmSync(path, { force: true });
    if (!isKept) for (const path of entries) closeSync(openSync(path, 'w'));
    writeIndexSource(files, settings, stamp);
  } catch (error) {
    throw stateUnwritable(dir, error);
  }
}

/** With how many entries of an earlier indexing one with these settings would be compared. */
export function entriesBefore(dir: string, settings: IndexSettings): number {
  const files = indexFiles(dir);
  const earlier = readIndexSource(files);
  if (earlier === null || !agree(earlier, settings)) return 0;
  return Math.floor((statSync(files.offsets, { throwIfNoEntry: false })?.size ?? 0) / ENTRY_BYTES);
}

/** Another list is to be indexed here, and nothing of the earlier one was handed out: its index need not be kept. */
export function removeIndex(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    throw stateUnwritable(dir, error);
  }
}

function scratchFiles(dir: string, files: IndexFiles): string[] {
  const isScratch = (name: string): boolean => name.startsWith(`${basename(files.seen)}.`);
  return readdirSync(dir)
    .filter(isScratch)
    .map((name) => join(dir, name));
}
