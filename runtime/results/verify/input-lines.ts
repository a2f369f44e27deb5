import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import { AROUND_CONTENT_BYTES, lineContent, lineTooLong, parseLine } from '../../format/line.ts';
import { SEEN_CACHE_PAGES, SeenIds } from '../../input/index/seen-ids.ts';
import type { ItemIndex } from '../../model/row.ts';
import type { ItemForm } from '../../model/session.ts';
import type { InputMeaning } from '../log/record-check.ts';
import { LineReader, type TextLine } from './line-reader.ts';

export interface InputSettings {
  readonly inputPath: string;
  readonly form: ItemForm;
  readonly maxLineBytes: number;
  /** Only the first so many items; null for all. */
  readonly limit: number | null;
  readonly tempDir: string;
}

/** An input line that is not blank. */
export interface InputLine {
  readonly index: ItemIndex;
  readonly number: number;
  readonly meaning: InputMeaning;
  /** Without byte order mark, CR and LF; empty where it is too long to be kept. Valid until the next lines are read. */
  readonly content: Uint8Array;
}

const NOTHING = new Uint8Array();

/** Reads the input again, without its index: every line that is not blank has the next index. */
export class InputLines {
  readonly #settings: InputSettings;
  readonly #seen: SeenIds;
  items = 0;
  blankLines = 0;
  /** Bytes up to the end of the last line that counts. */
  bytes = 0;

  constructor(settings: InputSettings) {
    this.#settings = settings;
    this.#seen = new SeenIds(join(settings.tempDir, `verify-${systemRandom.hex(6)}`), SEEN_CACHE_PAGES);
  }

  async *read(): AsyncGenerator<readonly InputLine[], void> {
    const { inputPath, maxLineBytes } = this.#settings;
    const reader = await LineReader.open(inputPath, maxLineBytes + AROUND_CONTENT_BYTES);
    if (reader === null) throw new RolloutError('INPUT_UNREADABLE', `${inputPath} is not there; put the input back to verify the run`);
    try {
      for (let lines = await reader.next(); lines.length > 0 && !this.#isFull(); lines = await reader.next()) yield this.#understand(lines);
    } finally {
      await reader.close();
      this.#seen.discard();
    }
  }

  #isFull(): boolean {
    return this.items === this.#settings.limit;
  }

  #understand(lines: readonly TextLine[]): readonly InputLine[] {
    const understood: InputLine[] = [];
    for (const line of lines) {
      if (this.#isFull()) break;
      const content = line.bytes === null ? null : lineContent(line.bytes, line.number);
      const meaning = this.#meaning(content, line.number);
      this.bytes = line.end;
      if (meaning === null) this.blankLines += 1;
      else understood.push({ index: this.items++, number: line.number, meaning, content: content ?? NOTHING });
    }
    return understood;
  }

  /** Null for a blank line. */
  #meaning(content: Uint8Array | null, number: number): InputMeaning | null {
    const { maxLineBytes, form } = this.#settings;
    if (content === null || content.length > maxLineBytes) return lineTooLong(maxLineBytes);
    const parsed = parseLine(content, number, form);
    if (parsed.kind === 'blank') return null;
    if (parsed.kind === 'invalid' || form === 'raw') return parsed;
    const firstLine = this.#seen.see(parsed.item.customId, number);
    return firstLine === null ? parsed : { kind: 'duplicate', customId: parsed.item.customId, firstLine };
  }
}

/** SHA-256 of the first `bytes` bytes of a file, in hexadecimal. */
export async function sha256Of(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (bytes > 0) for await (const chunk of createReadStream(path, { end: bytes - 1 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
