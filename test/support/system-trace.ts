/** What strace -f -y says of files and their descriptors, between lines `begin <step>` and `end <step>` that the process wrote to stdout. */

/** The calls that have to be traced. */
export const TRACED = 'openat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync';

const CALL = /^(\d+) +(\w+)\((\d+)<([^>]*)>(.*)$/;
const OPENED = /^\d+ +openat\(.*O_D?SYNC.* = (\d+)<([^>]*)>$/;
/** A call that another thread overlaps stands in two lines: it has ended with the second. */
const OPENING = /^(\d+) +openat\(.*O_D?SYNC.* <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>.* = (\d+)(?:<([^>]*)>)?$/;
const SAID = /"(begin|end) ([^"]*)\\n"/;

export interface TracedStep {
  /** The files that were written to. */
  readonly written: Set<string>;
  /** Descriptors and files that were written to and not brought to the disk after that. */
  readonly unsynced: Set<string>;
}

interface Call {
  readonly thread: string;
  readonly name: string;
  readonly fd: string;
  readonly path: string;
  readonly rest: string;
}

class Reading {
  readonly steps = new Map<string, TracedStep>();
  #step: TracedStep | null = null;
  /** By thread: what its call brings to the disk, once that has ended. */
  readonly #syncing = new Map<string, string>();
  /** Threads that are about to open a file of which each write is synced. */
  readonly #opening = new Set<string>();
  readonly #alwaysSynced = new Set<string>();

  take(line: string): void {
    const [, openedFd, openedPath] = OPENED.exec(line) ?? [];
    if (openedFd !== undefined) return void this.#alwaysSynced.add(`${openedFd} ${openedPath}`);
    const [, openingBy] = OPENING.exec(line) ?? [];
    if (openingBy !== undefined) return void this.#opening.add(openingBy);
    const [, resumedBy, resumed, result = '', resultPath = ''] = RESUMED.exec(line) ?? [];
    if (resumedBy !== undefined) return this.#onResumed(resumedBy, resumed === 'openat' ? `${result} ${resultPath}` : null);
    const [, thread, name, fd, path = '', rest = ''] = CALL.exec(line) ?? [];
    if (thread === undefined || name === undefined || fd === undefined) return;
    const call = { thread, name, fd, path, rest };
    if (name.endsWith('sync')) this.#onSync(call);
    else if (name.includes('write')) this.#onWrite(call);
  }

  /** `opened` is null for a call that opens nothing. */
  #onResumed(thread: string, opened: string | null): void {
    if (opened !== null && this.#opening.delete(thread)) this.#alwaysSynced.add(opened);
    this.#step?.unsynced.delete(this.#syncing.get(thread) ?? '');
    this.#syncing.delete(thread);
  }

  #onSync({ thread, fd, path, rest }: Call): void {
    if (rest.endsWith('= 0')) this.#step?.unsynced.delete(`${fd} ${path}`);
    else this.#syncing.set(thread, `${fd} ${path}`);
  }

  #onWrite({ thread, fd, path, rest }: Call): void {
    const [, word, step = ''] = fd === '1' ? (SAID.exec(rest) ?? []) : [];
    if (word !== undefined) return this.#onSaid(word, step);
    this.#step?.written.add(path);
    const isSyncedAtItsEnd = this.#alwaysSynced.has(`${fd} ${path}`);
    if (isSyncedAtItsEnd && / = \d+$/.test(rest)) return;
    if (isSyncedAtItsEnd) this.#syncing.set(thread, `${fd} ${path}`);
    this.#step?.unsynced.add(`${fd} ${path}`);
  }

  #onSaid(word: string, name: string): void {
    this.#step = word === 'begin' ? { written: new Set(), unsynced: new Set() } : null;
    if (this.#step !== null) this.steps.set(name, this.#step);
  }
}

export function tracedSteps(trace: string): ReadonlyMap<string, TracedStep> {
  const reading = new Reading();
  for (const line of trace.split('\n')) reading.take(line);
  return reading.steps;
}
