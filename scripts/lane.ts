import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileOfTitle, type LanePlan, titlesIn } from './lanes.ts';
import { type TapEvent, TapReader } from './tap.ts';

export interface LaneTotals {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** One `ava` process over the files of a lane, one file at a time: so a file is finished when a test of another one is heard of. */
export class Lane {
  readonly #plan: LanePlan;
  #child: ChildProcess | null = null;
  readonly #failures: string[] = [];
  #passed = 0;
  #file: string | null = null;
  /** With one file at a time, the end of the file before is the start of the next. */
  #fileStartMs = 0;
  #lastHeardMs = 0;
  #fileTitles: string[] = [];
  #fileFailures = 0;

  constructor(plan: LanePlan) {
    this.#plan = plan;
  }

  async run(): Promise<LaneTotals> {
    const startMs = performance.now();
    this.#lastHeardMs = startMs;
    const flags = ['--tap', '--concurrency=1', ...(this.#plan.isSerial ? ['--serial'] : [])];
    // A process group of its own, so that `stop` reaches ava and the processes of its test files together.
    const child = spawn('ava', [...flags, ...this.#plan.files], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#child = child;
    const tap = new TapReader();
    const lines = Promise.all([
      eachLine(child.stdout, (line) => this.#onEvents(tap.line(line))),
      eachLine(child.stderr, (line) => this.#say(line)),
    ]);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    await lines;
    this.#onEvents(tap.end());
    this.#finishFile();
    if (code !== 0 && this.#failures.length === 0) this.#fail(`lane ${this.#plan.name}`, [`ava ended with ${code ?? 'a signal'}`]);
    this.#say(`lane finished: ${this.#passed} passed, ${this.#failures.length} failed in ${secondsSince(startMs)}`);
    return { passed: this.#passed, failures: this.#failures };
  }

  /** What has been heard of and is not finished: the answer to "why does nothing happen?". Null before the lane and after it. */
  running(): string | null {
    if (!this.#isRunning()) return null;
    if (this.#file === null) return `${this.#plan.name}: the first of ${this.#plan.files.join(' ')}`;
    const open = titlesIn(this.#file).filter((title) => !this.#fileTitles.includes(title));
    const next = this.#plan.files[this.#plan.files.indexOf(this.#file) + 1];
    const names = open.length === 0 ? `all its tests are finished; ${next ?? 'its end'} is waited for` : open.join(' | ');
    return `${this.#plan.name}: ${this.#file}, ${secondsSince(this.#fileStartMs)}: ${names}`;
  }

  /** Nothing has been heard for longer than any test may take: a test file that does not end, say. */
  stopIfSilent(limitMs: number): void {
    if (!this.#isRunning() || performance.now() - this.#lastHeardMs < limitMs) return;
    this.#fail(`lane ${this.#plan.name}`, [`nothing was heard for ${limitMs / 60_000} minutes: ${this.running() ?? ''}`]);
    this.stop();
  }

  stop(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && this.#isRunning()) process.kill(-pid, 'SIGKILL');
  }

  #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #onEvents(events: readonly TapEvent[]): void {
    for (const event of events) {
      const { file, title } = fileOfTitle(event.title, this.#plan.files);
      if (file !== null && file !== this.#file) this.#startFile(file);
      this.#lastHeardMs = performance.now();
      this.#fileTitles.push(title);
      if (event.kind === 'passed') this.#passed++;
      else if (event.kind === 'failed') this.#fail(event.title, event.details);
      else this.#fail(event.title, ['  it was skipped or is only planned: every test runs']);
    }
  }

  #fail(title: string, details: readonly string[]): void {
    this.#failures.push(title);
    this.#fileFailures++;
    this.#say(`FAILED ${title}`);
    for (const line of details) this.#say(line);
  }

  #startFile(file: string): void {
    this.#finishFile();
    this.#file = file;
    this.#fileStartMs = this.#lastHeardMs;
    this.#fileTitles = [];
    this.#fileFailures = 0;
  }

  #finishFile(): void {
    if (this.#file === null) return;
    const word = this.#fileFailures === 0 ? 'ok    ' : 'FAILED';
    const seconds = ((this.#lastHeardMs - this.#fileStartMs) / 1000).toFixed(1);
    this.#say(`${word} ${this.#file}: ${this.#fileTitles.length} tests, ${seconds} s`);
  }

  #say(line: string): void {
    process.stdout.write(`[${this.#plan.name}] ${line}\n`);
  }
}

async function eachLine(stream: Readable, handle: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) handle(line);
}

function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
