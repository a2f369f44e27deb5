import { join } from 'node:path';
import { systemRandom } from '../../base/random.ts';
import { type OutputRecord, parseOutputLine } from '../../format/output-line.ts';
import { SEEN_CACHE_PAGES, SeenIds } from '../../input/index/seen-ids.ts';
import type { OutcomeKind } from '../../model/session.ts';
import { RecordFetcher } from '../log/fetch.ts';
import { type Location, Locations } from '../log/locations.ts';
import type { Locator } from '../log/locator.ts';
import { expectedRecord } from '../log/record-check.ts';
import { batched } from '../log/records.ts';
import { MAX_FRAME_BYTES } from '../log/segment.ts';
import { InputLines, type InputSettings } from './input-lines.ts';
import { LineReader, type TextLine } from './line-reader.ts';
import { type SeenLine, SeenLines } from './seen-lines.ts';
import type { OutputFiles } from './verify-files.ts';
import { named, type Violations } from './violations.ts';

/** In the table of ids, numbers from here on are lines of one of the two files whose id no input line has. */
const STRANGERS: Readonly<Record<OutcomeKind, number>> = { result: 2 ** 44, error: 2 ** 45 };

type ExplainOptions = OutputFiles & InputSettings;

/** Tells how the two files differ from what they must hold: line by line, then what is in neither. */
export async function explainFiles(options: ExplainOptions, locator: Locator, violations: Violations): Promise<void> {
  const known = new SeenIds(join(options.tempDir, `known-${systemRandom.hex(6)}`), SEEN_CACHE_PAGES);
  const seen = new SeenLines(options.tempDir);
  const fetcher = new RecordFetcher(options.place);
  try {
    await learnIds(options, known);
    const evidence = { options, locator, violations, known, seen, fetcher };
    const isResultsThere = await new FileExplanation(evidence, 'result').run();
    const isErrorsThere = await new FileExplanation(evidence, 'error').run();
    // Where a whole file is missing, a break for each of its lines would only hide that.
    if (isResultsThere && isErrorsThere) await explainMissing(options, seen, violations);
  } finally {
    known.discard();
    seen.dispose();
    await fetcher.close();
  }
}

/** The record id of each input line, with its index + 1. */
async function learnIds(options: ExplainOptions, known: SeenIds): Promise<void> {
  for await (const lines of new InputLines(options).read()) {
    for (const line of lines) known.see(expectedRecord(line.meaning, line.number).id, line.index + 1);
  }
}

async function explainMissing(options: ExplainOptions, seen: SeenLines, violations: Violations): Promise<void> {
  for await (const lines of new InputLines(options).read()) {
    for (const { index, number, meaning } of lines) {
      if (seen.at(index) !== null) continue;
      const customId = expectedRecord(meaning, number).customId;
      violations.add(options.inputPath, number, `(${named(customId)}) is in neither ${options.outputPath} nor ${options.errorsPath}`);
    }
  }
}

interface Evidence {
  readonly options: ExplainOptions;
  readonly locator: Locator;
  readonly violations: Violations;
  readonly known: SeenIds;
  readonly seen: SeenLines;
  readonly fetcher: RecordFetcher;
}

/** A line whose item is known and which stands in the right file for the first time. */
interface Placed {
  readonly line: TextLine;
  readonly customId: string | null;
  readonly location: Location;
}

class FileExplanation {
  readonly #evidence: Evidence;
  readonly #kind: OutcomeKind;
  readonly #path: string;
  /** The placed line that comes last in the run's order so far. */
  #latest: { readonly number: number; readonly customId: string | null; readonly location: Location } | null = null;
  #lines = 0;

  constructor(evidence: Evidence, kind: OutcomeKind) {
    this.#evidence = evidence;
    this.#kind = kind;
    this.#path = pathOf(evidence.options, kind);
  }

  /** False where the file is not there at all. */
  async run(): Promise<boolean> {
    const reader = await LineReader.open(this.#path, MAX_FRAME_BYTES);
    if (reader === null) {
      this.#break(null, 'is missing; `rollout export` writes it again from what is recorded');
      return false;
    }
    try {
      for (let lines = await reader.next(); lines.length > 0; lines = await reader.next()) await this.#explain(lines);
    } finally {
      await reader.close();
    }
    const { done, failed } = this.#evidence.locator;
    const counted = this.#kind === 'result' ? done : failed;
    if (this.#lines !== counted)
      this.#break(null, `has ${this.#lines} lines, but the ledger counts ${counted} items as ${wordOf(this.#kind)}`);
    return true;
  }

  async #explain(lines: readonly TextLine[]): Promise<void> {
    this.#lines += lines.length;
    const placed = lines.map((line) => this.#place(line)).filter((one) => one !== null);
    for (const batch of batched(placed, ({ location }) => location.lineBytes)) await this.#compare(batch);
  }

  /** Null where the line has no place in this file; then the reason has been told. */
  #place(line: TextLine): Placed | null {
    if (!line.isEnded) this.#break(line.number, 'has no line end: the file was cut off, or written to');
    const record = line.bytes === null ? null : parseOutputLine(line.bytes);
    if (record === null) return this.#refuse(line, 'is not an output line: it was damaged, or is not ours');
    const known = this.#evidence.known.see(record.id, STRANGERS[this.#kind] + line.number);
    if (known === null) return this.#refuse(line, `(${named(record.customId)}) belongs to no input line: none has its id ${record.id}`);
    if (known > STRANGERS.result)
      return this.#refuse(line, `repeats ${named(record.customId)} of ${this.#where(strangerAt(known))}, which belongs to no input line`);
    return this.#placeKnown(line, record, known - 1);
  }

  #placeKnown(line: TextLine, record: OutputRecord, index: number): Placed | null {
    const { seen, locator } = this.#evidence;
    const before = seen.at(index);
    if (before !== null) {
      return this.#refuse(line, `repeats ${named(record.customId)} of ${this.#where(before)}`);
    }
    seen.set(index, { kind: this.#kind, line: line.number });
    const { expected, found } = index < locator.items ? locator.at(index) : { expected: null, found: null };
    if (expected === null)
      return this.#refuse(line, `(${named(record.customId)}) is of an item that the ledger has neither as done nor as failed`);
    if (expected !== this.#kind)
      return this.#refuse(line, `(${named(record.customId)}) is in the wrong file: the ledger has the item as ${wordOf(expected)}`);
    return found === null ? null : { line, customId: record.customId, location: found };
  }

  async #compare(batch: readonly Placed[]): Promise<void> {
    const frames = await this.#evidence.fetcher.fetch(Locations.of(batch.map(({ location }) => location)));
    for (const [at, { line, customId, location }] of batch.entries()) {
      const byte = firstDifference(line.bytes ?? new Uint8Array(), frames.frame(at).line);
      if (byte !== null)
        this.#break(line.number, `(${named(customId)}) differs from its record in the result log, first at byte ${byte + 1} of the line`);
      this.#checkOrder(line.number, customId, location);
    }
  }

  #checkOrder(number: number, customId: string | null, location: Location): void {
    const latest = this.#latest;
    if (latest === null || isBefore(this.#evidence.options.order, latest.location, location)) {
      this.#latest = { number, customId, location };
      return;
    }
    const order = this.#evidence.options.order === 'input' ? 'comes before it in the input' : 'was recorded before it';
    this.#break(number, `(${named(customId)}) stands after line ${latest.number} (${named(latest.customId)}), but ${order}`);
  }

  #where({ kind, line }: SeenLine): string {
    return kind === this.#kind ? `line ${line}` : `${pathOf(this.#evidence.options, kind)} line ${line}`;
  }

  #refuse(line: TextLine, what: string): null {
    this.#break(line.number, what);
    return null;
  }

  #break(line: number | null, what: string): void {
    this.#evidence.violations.add(this.#path, line, what);
  }
}

function strangerAt(known: number): SeenLine {
  const kind = known > STRANGERS.error ? 'error' : 'result';
  return { kind, line: known - STRANGERS[kind] };
}

function isBefore(order: OutputFiles['order'], a: Location, b: Location): boolean {
  if (order === 'input') return a.index < b.index;
  return a.epoch < b.epoch || (a.epoch === b.epoch && a.offset < b.offset);
}

function firstDifference(a: Uint8Array, b: Uint8Array): number | null {
  if (Buffer.compare(a, b) === 0) return null;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return at;
  return length;
}

function pathOf(options: OutputFiles, kind: OutcomeKind): string {
  return kind === 'result' ? options.outputPath : options.errorsPath;
}

function wordOf(kind: OutcomeKind): string {
  return kind === 'result' ? 'done' : 'failed';
}
