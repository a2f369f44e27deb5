import { fileOfTitle } from './lanes.ts';
import type { TapEvent } from './tap.ts';

/** What came of one test file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly string[];
}

export interface LaneResult {
  readonly files: readonly FileResult[];
  /** Failures that belong to none of the files. */
  readonly failures: readonly string[];
}

interface FileRecord {
  passed: number;
  readonly failures: string[];
  readonly titles: string[];
}

/** How ava names the file in a line that is not about a test: a process that ended, or one without any test. */
const ABOUT_FILE = /^(?:No tests found in )?(\S+\.test\.ts)(?: exited |,|$)/;

/**
 * What was heard of the files of a lane, and what follows from it. The one certain thing about a test file is what it said: one of
 * which nothing was heard has failed, and so has one in the middle of which ava ended.
 */
export class LaneReport {
  readonly #files: readonly string[];
  readonly #records = new Map<string, FileRecord>();
  readonly #failures: string[] = [];
  /** Crashes that ava prints without a name: the line that names the file follows. */
  readonly #unnamed: string[] = [];
  #current: string | null = null;
  #isClosed = false;

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  /** The file that was heard of last by the ava that runs now. */
  current(): string | null {
    return this.#current;
  }

  /** ava has said all that it had to say. */
  isClosed(): boolean {
    return this.#isClosed;
  }

  unheard(): readonly string[] {
    return this.#files.filter((file) => !this.#records.has(file));
  }

  titlesOf(file: string): readonly string[] {
    return this.#records.get(file)?.titles ?? [];
  }

  resultOf(file: string): FileResult {
    const { passed = 0, failures = [] } = this.#records.get(file) ?? {};
    return { file, passed, failures };
  }

  /** Another ava begins, with files of which nothing was heard. */
  onStart(): void {
    this.#current = null;
    this.#isClosed = false;
  }

  /** Answers what has failed by it. */
  onEvent(event: TapEvent): readonly string[] {
    if (event.kind === 'closed') return this.#onClosed();
    if (event.kind === 'remaining') return this.#fail(event.file, `${event.count} of its tests never ended`);
    const { file, title } = this.#placeOf(event.title);
    if (file === null) {
      if (event.kind !== 'passed') this.#unnamed.push(title);
      return event.kind === 'passed' ? this.#fail(null, `a test of no known file: ${title}`) : [];
    }
    const named = this.#unnamed.splice(0).flatMap((one) => this.#fail(file, one));
    const record = this.#open(file);
    record.titles.push(title);
    if (event.kind === 'failed') return [...named, ...this.#fail(file, title)];
    if (event.kind === 'skipped') return [...named, ...this.#fail(file, `${title} (skipped or only planned: every test runs)`)];
    record.passed += 1;
    return named;
  }

  /**
   * ava has ended. `files` are those it was given, `how` says in which way. A report that is not whole ended in the middle of the file
   * heard of last, or of the first file before anything was heard.
   */
  onEnd(files: readonly string[], isSuccess: boolean, how: string): readonly string[] {
    const failed = this.#unnamed.splice(0).flatMap((one) => this.#fail(this.#current, one));
    if (!this.#isClosed) return [...failed, ...this.#fail(this.#current ?? files[0] ?? null, `ava ended in the middle of it: ${how}`)];
    const hasFailures =
      failed.length > 0 || this.#failures.length > 0 || [...this.#records.values()].some((one) => one.failures.length > 0);
    return isSuccess || hasFailures ? failed : this.#fail(null, `ava ended with a failure and named none: ${how}`);
  }

  /** No ava follows: what was never heard of has failed. */
  onLast(): readonly string[] {
    return this.unheard().flatMap((file) => this.#fail(file, 'nothing was heard of it'));
  }

  fail(file: string | null, title: string): readonly string[] {
    return this.#fail(file, title);
  }

  result(): LaneResult {
    return { files: this.#files.map((file) => this.resultOf(file)), failures: this.#failures };
  }

  #onClosed(): readonly string[] {
    this.#isClosed = true;
    return this.#unnamed.splice(0).flatMap((one) => this.#fail(this.#current, one));
  }

  #placeOf(title: string): { readonly file: string | null; readonly title: string } {
    const named = ABOUT_FILE.exec(title)?.[1];
    return named !== undefined && this.#files.includes(named) ? { file: named, title } : fileOfTitle(title, this.#files);
  }

  #open(file: string): FileRecord {
    const record = this.#records.get(file) ?? { passed: 0, failures: [], titles: [] };
    this.#records.set(file, record);
    this.#current = file;
    return record;
  }

  #fail(of: string | null, title: string): readonly string[] {
    const file = this.#files.length === 1 ? (this.#files[0] ?? null) : of;
    const named = file === null ? title : `${file} › ${title}`;
    if (file !== null && this.#files.includes(file)) this.#open(file).failures.push(title);
    else this.#failures.push(named);
    return [named];
  }
}
