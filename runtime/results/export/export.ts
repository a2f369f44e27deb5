import { RolloutError } from '../../base/errors.ts';
import type { OutcomeKind } from '../../model/session.ts';
import type { LedgerReads, OutputOrder } from '../log/contract.ts';
import { type Damage, findDamage } from '../log/damage.ts';
import { damaged } from '../log/damage-text.ts';
import { Locator } from '../log/locator.ts';
import { acceptedRecords } from '../log/records.ts';
import type { PlaceReads } from '../place/contract.ts';
import { type AnswerNotes, NO_NOTES, withNotesOf } from './answer-notes.ts';
import { LineFile } from './line-file.ts';
import type { OutputGuard } from './output-guard.ts';

export interface ExportOptions {
  readonly ledger: LedgerReads;
  readonly place: PlaceReads;
  readonly outputPath: string;
  readonly errorsPath: string;
  readonly order: OutputOrder;
  /** How many items the run has; null while that is not known, only for a partial export. */
  readonly items: number | null;
  /** Write what is recorded so far; without it, every item must be terminal. */
  readonly isPartial: boolean;
  readonly tempDir: string;
  /** Permissions of the output files. */
  readonly mode?: number;
  /** Refuses to replace what is not this run's own. Left out where the files are nobody else's. */
  readonly guard?: OutputGuard;
}

export interface Exported {
  readonly done: number;
  readonly failed: number;
  readonly notes: AnswerNotes;
  /** What a partial export has left out, since its record is damaged or gone; null where nothing is. */
  readonly damage: Damage | null;
}

/**
 * Writes the records of the run: results to one file, errors to the other; each appears as a whole. Bits first, then the log (L21): a
 * bit without its frame, or with an older frame in its place, is an error that names the item; frames without a bit mean nothing. Works
 * while the run goes on, in memory that does not grow with the list. A partial export leaves out damaged records, and says so.
 */
export async function exportResults(options: ExportOptions): Promise<Exported> {
  const locator = await Locator.build(options);
  try {
    if (!options.isPartial) refuseUnfinished(options.items, locator);
    const damage = await findDamage(locator, options.place);
    if (damage.lost > 0 && !options.isPartial) throw damaged(damage, 'exported');
    return { ...(await writeFiles(options, locator)), damage: damage.lost === 0 ? null : damage };
  } finally {
    locator.dispose();
  }
}

function refuseUnfinished(items: number | null, locator: Locator): void {
  const open = (items ?? Number.POSITIVE_INFINITY) - locator.done - locator.failed;
  if (open === 0) return;
  const count = items === null ? 'some' : `${open} of ${items}`;
  throw new RolloutError('USAGE', `the run is not finished, ${count} items are open: let it go on, or export what there is with --partial`);
}

type Files = Readonly<Record<OutcomeKind, LineFile>>;

/** Its owner's alone, where nothing else is said. */
const PRIVATE = 0o600;

async function writeFiles(options: ExportOptions, locator: Locator): Promise<Pick<Exported, 'done' | 'failed' | 'notes'>> {
  const { outputPath, errorsPath, guard, mode = PRIVATE } = options;
  await guard?.refuseTaken([outputPath, errorsPath]);
  let notes = NO_NOTES;
  const result = await LineFile.create(outputPath, mode, (lines) => {
    notes = withNotesOf(notes, lines);
  });
  const error = await LineFile.create(errorsPath, mode).catch((cause: unknown) => discardAndThrow([result], cause));
  try {
    const counts = await writeRecords(options, locator, { result, error });
    await result.complete();
    await error.complete();
    await guard?.remember(outputPath, result.temporary);
    await guard?.remember(errorsPath, error.temporary);
    await guard?.refuseTaken([outputPath, errorsPath]);
    await error.publish();
    await result.publish();
    return { done: counts.result, failed: counts.error, notes };
  } catch (cause) {
    return await discardAndThrow([result, error], cause);
  }
}

async function writeRecords(
  { place, order }: ExportOptions,
  locator: Locator,
  files: Files,
): Promise<Readonly<Record<OutcomeKind, number>>> {
  const counts = { result: 0, error: 0 };
  for await (const block of acceptedRecords(place, locator, order)) {
    for (let n = 0; n < block.count; n += 1) {
      const kind = block.kind(n);
      const [start, end] = [block.lineStart(n), block.lineEnd(n)];
      if (!files[kind].hasRoom(end - start)) await files[kind].makeRoom(end - start);
      files[kind].add(block.bytes, start, end);
      counts[kind] += 1;
    }
  }
  return counts;
}

async function discardAndThrow(files: readonly LineFile[], cause: unknown): Promise<never> {
  for (const file of files) await file.discard();
  throw cause;
}
