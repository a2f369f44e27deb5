import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { cpuMsOf, cpuMsOfProcesses, processesOfGroup } from './cpu-times.ts';
import { LaneReport, type LaneResult } from './lane-report.ts';
import { type LanePlan, titlesIn } from './lanes.ts';
import { type TapEvent, TapReader } from './tap.ts';

/** How often ava is started again with the files of which nothing was heard. Each start that fails costs the file it failed in. */
const MOST_STARTS = 10;
/** What the shell says of itself and of all that it has waited for goes to a stream of its own. */
const AVA_AND_TIMES = 'ava "$@" 3>&-; code=$?; times >&3; exit $code';
/** So many lines have the message of a failure, and where it was. */
const REASON_LINES = 25;
/** Names the files that run in one process, for scripts/together.ts and ava.config.js. */
const TOGETHER = 'ROLLOUT_TEST_TOGETHER';

/** Of a test file, or of several together. */
export interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

export interface LaneOptions {
  /** What its tests find in the environment beside what this process has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where ava and the files are; the project itself where it is left out. */
  readonly cwd?: string;
  readonly write?: (text: string) => void;
}

/** `ava` over the files of a lane, one file at a time; where it crashes, another one over those of which nothing was heard. */
export class Lane {
  readonly #plan: LanePlan;
  readonly #options: LaneOptions;
  readonly #report: LaneReport;
  #child: ChildProcess | null = null;
  #isStopped = false;
  /** With one file at a time, the end of the file before is the start of the next. */
  #fileStartMs = 0;
  #fileStartCpuMs = 0;
  #lastHeardMs = 0;
  #lastHeardCpuMs = 0;
  /** Of the ava that runs now: the shell, ava, and the process of the test file. */
  #processes: readonly string[] = [];
  /** What each file took that has been told of. */
  readonly #took = new Map<string, Took>();
  readonly #told = new Set<string>();
  readonly #reasons = new Map<string, readonly string[]>();
  #cpuMs = 0;

  constructor(plan: LanePlan, options: LaneOptions = {}) {
    this.#plan = plan;
    this.#options = options;
    this.#report = new LaneReport(plan.files);
  }

  async run(): Promise<LaneResult> {
    for (let start = 1; start <= MOST_STARTS && !this.#isStopped; start += 1) {
      const files = this.#report.unheard();
      if (files.length === 0) break;
      await this.#runAva(files);
      if (this.#report.isClosed()) break;
    }
    this.#sayFailed(this.#report.onLast());
    for (const file of this.#plan.files) this.#tellFile(file);
    return this.#report.result();
  }

  /** By file; nothing of those that share a process and run at the same time. */
  took(): ReadonlyMap<string, Took> {
    return this.#took;
  }

  /** By failure, as its result names it after its file: the first lines of what ava said of it. */
  reasons(): ReadonlyMap<string, readonly string[]> {
    return this.#reasons;
  }

  /** CPU of all processes of the lane so far, but for those whose parent was killed before them. */
  cpuMs(): number {
    return this.#cpuMs;
  }

  /** What has been heard of and is not finished: the answer to "why does nothing happen?". Null before the lane and after it. */
  running(): string | null {
    if (!this.#isRunning()) return null;
    const file = this.#report.current();
    const seconds = secondsBetween(this.#fileStartMs, performance.now());
    if (file === null) return `${this.#plan.name}: ${this.#report.unheard().slice(0, 3).join(' ')}, ${seconds}: nothing was heard yet`;
    const next = this.#report.unheard()[0];
    const open = this.#openTitles(file);
    const names = open.length === 0 ? `all its tests are finished; ${next ?? 'its end'} is waited for` : open.join(' | ');
    return `${this.#plan.name}: ${file}, ${seconds}: ${names}`;
  }

  /** Nothing has been heard for longer than any test may take: a test file that does not end, say. */
  stopIfSilent(limitMs: number): void {
    if (!this.#isRunning() || performance.now() - this.#lastHeardMs < limitMs) return;
    const what = `nothing was heard for ${limitMs / 60_000} minutes`;
    this.#sayFailed(this.#report.fail(this.#report.current() ?? this.#report.unheard()[0] ?? null, what));
    this.#kill();
  }

  /** No file is started any more, and what runs is killed. */
  stop(): void {
    this.#isStopped = true;
    this.#kill();
  }

  async #runAva(files: readonly string[]): Promise<void> {
    const { isSerial, isTogether } = this.#plan;
    const flags = ['--tap', '--concurrency=1', ...(isSerial ? ['--serial'] : []), ...(isTogether ? [] : files)];
    const env = { ...process.env, ...this.#options.env, ...(isTogether ? { [TOGETHER]: files.join(' ') } : {}) };
    this.#report.onStart();
    this.#fileStartMs = performance.now();
    this.#lastHeardMs = this.#fileStartMs;
    // A process group of its own, so that `stop` reaches ava and the processes of its test files together.
    const stdio: readonly ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe', 'pipe'];
    const child = spawn('sh', ['-c', AVA_AND_TIMES, 'ava', ...flags], { stdio: [...stdio], detached: true, cwd: this.#options.cwd, env });
    this.#child = child;
    const tap = new TapReader();
    const lines = Promise.all([
      eachLine(child.stdio[1] as Readable, (line) => this.#onEvents(tap.line(line))),
      eachLine(child.stdio[2] as Readable, (line) => this.#say(line)),
      text(child.stdio[3] as Readable).then((times) => (this.#cpuMs += cpuMsOf(times))),
    ]);
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...how) => resolve(how));
    });
    await lines;
    this.#onEvents(tap.end());
    this.#lastHeardCpuMs = this.#cpuMs;
    this.#onEnd(files, code, signal);
  }

  #onEnd(files: readonly string[], code: number | null, signal: string | null): void {
    const file = this.#report.current();
    const open = file === null ? [] : this.#openTitles(file);
    const unfinished = open.length === 0 ? '' : `; not heard of: ${open.join(' | ')}`;
    this.#sayFailed(this.#report.onEnd(files, code === 0, `${signal ?? `exit ${code}`}${unfinished}`));
  }

  #onEvents(events: readonly TapEvent[]): void {
    for (const event of events) {
      const before = this.#report.current();
      const failed = this.#report.onEvent(event);
      const after = this.#report.current();
      if (before !== after && this.#isOneByOne()) {
        if (before !== null) this.#tellFile(before);
        this.#fileStartMs = this.#lastHeardMs;
        this.#fileStartCpuMs = this.#lastHeardCpuMs;
        this.#processes = processesOfGroup(this.#child?.pid ?? 0);
      }
      this.#lastHeardMs = performance.now();
      this.#lastHeardCpuMs = this.#cpuMs + cpuMsOfProcesses(this.#processes);
      this.#sayFailed(failed);
      if (event.kind !== 'failed') continue;
      for (const line of event.details) this.#say(line);
      for (const failure of failed) this.#reasons.set(failure, event.details.slice(0, REASON_LINES));
    }
  }

  #openTitles(file: string): readonly string[] {
    const heard = this.#report.titlesOf(file);
    return titlesIn(file, this.#options.cwd).filter((title) => !heard.includes(title));
  }

  #tellFile(file: string): void {
    if (this.#told.has(file)) return;
    this.#told.add(file);
    const took = { wallMs: this.#lastHeardMs - this.#fileStartMs, cpuMs: this.#lastHeardCpuMs - this.#fileStartCpuMs };
    if (this.#isOneByOne()) this.#took.set(file, took);
    const { passed, failures } = this.#report.resultOf(file);
    const times = this.#isOneByOne() ? `, ${timesOf(took)}` : '';
    this.#say(`${failures.length === 0 ? 'ok    ' : 'FAILED'} ${file}: ${passed} passed, ${failures.length} failed${times}`);
  }

  #isOneByOne(): boolean {
    return this.#plan.isSerial || !this.#plan.isTogether;
  }

  #sayFailed(failures: readonly string[]): void {
    for (const failure of failures) this.#say(`FAILED ${failure}`);
  }

  #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && this.#isRunning()) process.kill(-pid, 'SIGKILL');
  }

  #say(line: string): void {
    const write = this.#options.write ?? ((text) => process.stdout.write(text));
    write(`[${this.#plan.name}] ${line}\n`);
  }
}

async function eachLine(stream: Readable, handle: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) handle(line);
}

function timesOf({ wallMs, cpuMs }: Took): string {
  return `${secondsBetween(0, wallMs)}, ${secondsBetween(0, cpuMs)} of CPU`;
}

function secondsBetween(fromMs: number, toMs: number): string {
  return `${((toMs - fromMs) / 1000).toFixed(1)} s`;
}
