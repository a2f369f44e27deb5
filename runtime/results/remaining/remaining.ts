import { mkdir } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';
import { ITEM_BIT } from '../../ledger/contract.ts';
import type { ItemIndex } from '../../model/row.ts';
import { LineFile } from '../export/line-file.ts';
import type { OutputGuard } from '../export/output-guard.ts';
import type { LedgerReads } from '../log/contract.ts';
import { type InputLine, InputLines, type InputSettings, sha256Of } from '../verify/input-lines.ts';

/** Which lines of the input are wanted: those without a record, and those whose record is a failure. */
export interface Wanted {
  readonly open: boolean;
  readonly failed: boolean;
}

export interface RemainingOptions extends InputSettings {
  readonly ledger: Pick<LedgerReads, 'bits'>;
  readonly wanted: Wanted;
  readonly outputPath: string;
  /** Permissions of the file. */
  readonly mode: number;
  /** Refuses to replace what is not this run's own. Left out where the file is nobody else's. */
  readonly guard?: OutputGuard;
  /** Called with the list complete, and not yet in its place: what it throws leaves the place as it was. */
  readonly confirm?: () => Promise<void>;
  /** Of the input as the run read it; null where that is not known. */
  readonly expectedSha256: string | null;
}

export interface Remaining {
  /** Written. */
  readonly lines: number;
  /** Lines that would have been wanted, and are no items: they would fail again. */
  readonly notItems: number;
}

/** How many bits are asked for at a time; bounds memory. */
const BITS_AT_ONCE = 65_536;

/**
 * Writes lines of the input as they are, in its order: a list for another run. Nobody may work on the run meanwhile, or what is recorded
 * in between would be in the list and in the results.
 */
export async function writeRemaining(options: RemainingOptions): Promise<Remaining> {
  const { outputPath, mode, guard, confirm, tempDir } = options;
  await mkdir(tempDir, { recursive: true });
  await guard?.refuseTaken([outputPath]);
  const file = await LineFile.create(outputPath, mode);
  try {
    const remaining = await writeLines(options, file);
    await file.complete();
    await confirm?.();
    await guard?.remember(outputPath, file.temporary);
    await guard?.refuseTaken([outputPath]);
    await file.publish();
    return remaining;
  } catch (cause) {
    await file.discard();
    throw cause;
  }
}

async function writeLines(options: RemainingOptions, file: LineFile): Promise<Remaining> {
  const input = new InputLines(options);
  const bits = new Bits(options.ledger);
  const count = { lines: 0, notItems: 0 };
  for await (const lines of input.read()) {
    for (const line of lines) {
      if (!isWanted(await bits.of(line.index), options.wanted)) continue;
      if (isItem(line)) await writeLine(file, line.content);
      count[isItem(line) ? 'lines' : 'notItems'] += 1;
    }
  }
  await refuseChanged(options, input.bytes);
  return count;
}

function isWanted(bit: number, { open, failed }: Wanted): boolean {
  return (open && bit === ITEM_BIT.open) || (failed && bit === ITEM_BIT.failed);
}

function isItem({ meaning }: InputLine): boolean {
  return meaning.kind !== 'invalid' && meaning.kind !== 'duplicate';
}

async function writeLine(file: LineFile, content: Uint8Array): Promise<void> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!file.hasRoom(bytes.length)) await file.makeRoom(bytes.length);
  file.add(bytes, 0, bytes.length);
}

/** In a list that has changed, other lines than those without a record would be written. */
async function refuseChanged({ inputPath, expectedSha256 }: RemainingOptions, bytes: number): Promise<void> {
  if (expectedSha256 === null || (await sha256Of(inputPath, bytes)) === expectedSha256) return;
  throw new RolloutError('INPUT_CHANGED', `${inputPath} has changed since the run: restore the list that the run began with`);
}

/** The bits of items; they have to be asked for in ascending order. */
class Bits {
  readonly #ledger: RemainingOptions['ledger'];
  #from = 0;
  #page: Uint8Array = new Uint8Array();

  constructor(ledger: RemainingOptions['ledger']) {
    this.#ledger = ledger;
  }

  async of(index: ItemIndex): Promise<number> {
    if (index >= this.#from + this.#page.length) {
      this.#page = await this.#ledger.bits(index, BITS_AT_ONCE);
      this.#from = index;
    }
    // What was never handed out has no bit.
    return this.#page[index - this.#from] ?? ITEM_BIT.open;
  }
}
