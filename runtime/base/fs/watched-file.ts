import { stat } from 'node:fs/promises';
import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import { readTextIfThere } from './text-file.ts';

/**
 * A small file that others write and replace, read whole whenever it has changed. It is looked at, not listened for: notifications
 * are lost on mounted volumes and when a link is turned to another file. What is not understood is logged once, and what the file
 * last said stands.
 */
export interface WatchedFile<T> {
  readonly path: string;
  readonly parse: (text: string) => T;
  /** The file's word has changed; null: there is no file, or none any more. */
  readonly onValue: (value: T | null) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Half a second of a notice of fifteen is little, and a look costs nothing that can be measured. */
export const LOOK_MS = 500;
/** A writer that empties the file before it fills it is done by then: half a text must not count. */
export const SETTLE_MS = 100;
/** What is longer is not a file that people write. */
const MAX_BYTES = 1024 * 1024;

/** Resolves when the file has been read for the first time: nothing is decided before in ignorance of it. */
export async function watchFile<T>(watched: WatchedFile<T>): Promise<Timer> {
  const watcher = new Watcher(watched);
  await watcher.look();
  return watched.clock.every(LOOK_MS, () => void watcher.look());
}

type Seen = { readonly kind: 'text'; readonly text: string | null } | { readonly kind: 'unreadable'; readonly why: string };

class Watcher<T> {
  readonly #watched: WatchedFile<T>;
  #taken: Seen = { kind: 'text', text: null };
  #isLooking = false;

  constructor(watched: WatchedFile<T>) {
    this.#watched = watched;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const seen = await read(this.#watched.path);
      if (!isSame(seen, this.#taken) && (await this.#isSettled(seen))) this.#take(seen);
    } finally {
      this.#isLooking = false;
    }
  }

  async #isSettled(seen: Seen): Promise<boolean> {
    await this.#watched.clock.sleep(SETTLE_MS);
    return isSame(seen, await read(this.#watched.path));
  }

  #take(seen: Seen): void {
    const { path, parse, onValue, log } = this.#watched;
    this.#taken = seen;
    if (seen.kind === 'unreadable') {
      log.error({ file: path, detail: seen.why }, 'the file cannot be read: check its owner and mode; what it last said stands');
      return;
    }
    const parsed = understood(seen.text, parse);
    if (parsed.kind === 'understood') onValue(parsed.value);
    else log.error({ file: path, mistakes: parsed.mistakes }, 'the file has mistakes: correct them; what it last said stands');
  }
}

type Understood<T> = { readonly kind: 'understood'; readonly value: T | null } | { readonly kind: 'mistaken'; readonly mistakes: string };

function understood<T>(text: string | null, parse: (text: string) => T): Understood<T> {
  if (text === null) return { kind: 'understood', value: null };
  try {
    return { kind: 'understood', value: parse(text) };
  } catch (error) {
    return { kind: 'mistaken', mistakes: (error as Error).message };
  }
}

async function read(path: string): Promise<Seen> {
  try {
    const found = await stat(path).catch(() => null);
    // To open a pipe that nobody writes to would never end, nor would the process then; a device has no end to be read to.
    if (found?.isFile() === false) return { kind: 'unreadable', why: 'it is not a regular file' };
    if (found !== null && found.size > MAX_BYTES) return { kind: 'unreadable', why: `it is longer than ${MAX_BYTES} bytes` };
    return { kind: 'text', text: await readTextIfThere(path) };
  } catch (error) {
    return { kind: 'unreadable', why: systemReason(error) };
  }
}

/** The file is named, and the advice given, where it is told. */
function systemReason(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function isSame(a: Seen, b: Seen): boolean {
  if (a.kind === 'text') return b.kind === 'text' && a.text === b.text;
  return b.kind === 'unreadable' && a.why === b.why;
}
