import {
  AROUND_CONTENT_BYTES,
  duplicateCustomId,
  type InvalidLine,
  lineContent,
  lineTooLong,
  parseLine,
} from '../../../runtime/format/line.ts';
import { MAX_LINE_BYTES } from '../../../runtime/model/limits.ts';
import type { ItemForm } from '../../../runtime/model/session.ts';
import { LineSplitter } from './list-lines.ts';

/** A line that is no item, and why. */
export interface BadLine {
  readonly lineNumber: number;
  readonly code: InvalidLine['code'];
  readonly message: string;
}

export interface ListReport {
  /** Lines that are items. */
  readonly items: number;
  /** Lines that would be recorded as failed. */
  readonly bad: number;
  /** The first of them. */
  readonly shown: readonly BadLine[];
}

/** Enough to see what is wrong; the same mistake is often on every line. */
const MOST_SHOWN = 20;

/** Which custom_ids have been seen: the line of the first one, or null where this is the first. */
export type See = (customId: string, lineNumber: number) => number | null;

/** In memory: for lists that are there as well. */
export function seeInMemory(): See {
  const lines = new Map<string, number>();
  return (customId, lineNumber) => {
    const first = lines.get(customId);
    if (first === undefined) lines.set(customId, lineNumber);
    return first ?? null;
  };
}

/** Checks the lines of a list as a run itself does when it indexes them. */
export class ListCheck {
  readonly #form: ItemForm;
  readonly #see: See;
  readonly #splitter = new LineSplitter(MAX_LINE_BYTES + AROUND_CONTENT_BYTES);
  readonly #shown: BadLine[] = [];
  #lines = 0;
  #items = 0;
  #bad = 0;

  constructor(form: ItemForm, see: See) {
    this.#form = form;
    this.#see = see;
  }

  push(bytes: Uint8Array): void {
    for (const line of this.#splitter.push(bytes)) this.#take(line);
  }

  end(): ListReport {
    for (const line of this.#splitter.end()) this.#take(line);
    return { items: this.#items, bad: this.#bad, shown: this.#shown };
  }

  #take(line: Uint8Array | null): void {
    this.#lines += 1;
    const parsed = line === null || lineContent(line, this.#lines).length > MAX_LINE_BYTES ? TOO_LONG : this.#parse(line);
    if (parsed === 'item') this.#items += 1;
    else if (parsed !== 'blank') this.#refuse(parsed);
  }

  #parse(line: Uint8Array): 'item' | 'blank' | InvalidLine {
    const parsed = parseLine(line, this.#lines, this.#form);
    if (parsed.kind !== 'item') return parsed.kind === 'blank' ? 'blank' : parsed;
    const first = this.#form === 'raw' ? null : this.#see(parsed.item.customId, this.#lines);
    return first === null ? 'item' : duplicateCustomId(parsed.item.customId, first);
  }

  #refuse({ code, message }: InvalidLine): void {
    this.#bad += 1;
    if (this.#shown.length < MOST_SHOWN) this.#shown.push({ lineNumber: this.#lines, code, message });
  }
}

const TOO_LONG: InvalidLine = lineTooLong(MAX_LINE_BYTES);
