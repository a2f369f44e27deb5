import type { OutcomeKind } from '../../model/session.ts';
import type { OutputOrder } from '../log/contract.ts';
import type { Locator } from '../log/locator.ts';
import { acceptedRecords } from '../log/records.ts';
import { MAX_FRAME_BYTES } from '../log/segment.ts';
import type { PlaceReads } from '../place/contract.ts';
import { LineReader, type TextLine } from './line-reader.ts';

export interface OutputFiles {
  readonly place: PlaceReads;
  readonly outputPath: string;
  readonly errorsPath: string;
  readonly order: OutputOrder;
}

/** Do the two files hold exactly the accepted records, byte for byte, in this order, and nothing else? */
export async function areFilesExact(options: OutputFiles, locator: Locator): Promise<boolean> {
  const result = await LineReader.open(options.outputPath, MAX_FRAME_BYTES);
  const error = await LineReader.open(options.errorsPath, MAX_FRAME_BYTES);
  try {
    if (result === null || error === null) return false;
    return await areSame(options, locator, { result: new LineCursor(result), error: new LineCursor(error) });
  } finally {
    await result?.close();
    await error?.close();
  }
}

async function areSame(options: OutputFiles, locator: Locator, files: Readonly<Record<OutcomeKind, LineCursor>>): Promise<boolean> {
  for await (const frames of acceptedRecords(options.place, locator, options.order)) {
    for (const frame of frames) {
      const line = await files[frame.kind].next();
      if (line?.bytes == null || !line.isEnded || !line.bytes.equals(frame.line)) return false;
    }
  }
  return (await files.result.next()) === null && (await files.error.next()) === null;
}

/** One line at a time. */
class LineCursor {
  readonly #reader: LineReader;
  #lines: readonly TextLine[] = [];
  #at = 0;

  constructor(reader: LineReader) {
    this.#reader = reader;
  }

  async next(): Promise<TextLine | null> {
    if (this.#at === this.#lines.length) {
      this.#lines = await this.#reader.next();
      this.#at = 0;
    }
    return this.#lines[this.#at++] ?? null;
  }
}
