/** One place where a run is not what it must be. */
export interface Violation {
  /** Path of the file, or `ledger`. */
  readonly file: string;
  /** From 1; null where the whole file is meant. */
  readonly line: number | null;
  /** What is wrong there, in plain words: reads on from "<file> line <line>". */
  readonly what: string;
}

/** More are counted only: a file that is shifted by one line breaks on every line. */
const KEPT = 20;

/** Collects violations in the order in which they are found. */
export class Violations {
  readonly first: Violation[] = [];
  count = 0;

  add(file: string, line: number | null, what: string): void {
    this.count += 1;
    if (this.first.length < KEPT) this.first.push({ file, line, what });
  }
}

/** A custom_id may be a whole text; so much tells it from others, and the message stays readable. */
const LONGEST_NAME = 80;

/** How a record or a line is named in a message. */
export function named(customId: string | null): string {
  if (customId === null) return 'without a custom_id';
  return `custom_id ${JSON.stringify(customId.length <= LONGEST_NAME ? customId : `${customId.slice(0, LONGEST_NAME)}…`)}`;
}
