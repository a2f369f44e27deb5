import { nextTurn } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { OutcomeKind } from '../model/session.ts';
import { type AnswerNotes, NO_NOTES, withNotesOf } from './answer-notes.ts';
import type { LedgerReads, OutputOrder } from './contract.ts';
import { findHiddenRecord, hiddenText } from './hidden.ts';
import { LineFile } from './line-file.ts';
import { type Located, Locator } from './locator.ts';
import type { OutputGuard } from './output-guard.ts';
import { checkSegments } from './place.ts';
import { acceptedRecords } from './records.ts';

/** So many are looked at before the other tasks of the process have a turn. */
const CHECK_AT_ONCE = 65_536;

export interface ExportOptions {
  readonly ledger: LedgerReads;
  /** The results place. */
  readonly dir: string;
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
}

/**
 * Writes the records of the run: results to one file, errors to the other; each appears as a whole. Bits first, then the log (L21);
 * a bit without its frame is an error that names the item, frames without a bit mean nothing. Works while the run goes on, in
 * memory that does not grow with the list.
 */
export async function exportResults(options: ExportOptions): Promise<Exported> {
  await checkSegments(options.dir, await options.ledger.tallies());
  const progress = await options.ledger.progress();
  const locator = await Locator.build({ ...options, items: options.items ?? progress.cursor });
  try {
    if (!options.isPartial) refuseUnfinished(options.items, locator);
    await checkRecords(locator, options.dir);
    const notes = await writeFiles(options, locator);
    return { done: locator.done, failed: locator.failed, notes };
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

/** Nothing is written unless every bit has its frame. */
async function checkRecords(locator: Locator, dir: string): Promise<void> {
  for (let from = 0; from < locator.items; from += CHECK_AT_ONCE) {
    const end = Math.min(from + CHECK_AT_ONCE, locator.items);
    for (let index = from; index < end; index++) {
      const problem = recordProblem(locator.at(index));
      if (problem !== null)
        throw new RolloutError('LEDGER_CORRUPT', `item index ${index}: ${problem}; ${dir} is damaged or not whole, nothing was exported`);
    }
    await nextTurn();
  }
  const hidden = await findHiddenRecord(locator);
  if (hidden !== null) throw new RolloutError('LEDGER_CORRUPT', `${hiddenText(hidden)}; restore ${hidden.path}, nothing was exported`);
}

/** What is wrong with an item that the ledger calls done or failed; null where its record is there. */
export function recordProblem({ expected, found }: Located): string | null {
  if (expected === null) return null;
  if (found === null) return `the ledger has it as ${ledgerWord(expected)}, but the result log holds no record of it`;
  if (found.kind !== expected)
    return `the ledger has it as ${ledgerWord(expected)}, but its record in the result log is ${logWord(found.kind)}`;
  return null;
}

function ledgerWord(kind: OutcomeKind): string {
  return kind === 'result' ? 'done' : 'failed';
}

function logWord(kind: OutcomeKind): string {
  return kind === 'result' ? 'a result' : 'an error';
}

type Files = Readonly<Record<OutcomeKind, LineFile>>;

/** Its owner's alone, where nothing else is said. */
const PRIVATE = 0o600;

async function writeFiles(options: ExportOptions, locator: Locator): Promise<AnswerNotes> {
  const { outputPath, errorsPath, guard, mode = PRIVATE } = options;
  await guard?.refuseTaken([outputPath, errorsPath]);
  const result = await LineFile.create(outputPath, mode);
  const error = await LineFile.create(errorsPath, mode).catch((cause: unknown) => discardAndThrow([result], cause));
  const files: Files = { result, error };
  let notes = NO_NOTES;
  try {
    for await (const frames of acceptedRecords(options.dir, locator, options.order)) {
      for (const frame of frames) {
        await files[frame.kind].add(frame.line);
        if (frame.kind === 'result') notes = withNotesOf(notes, frame.line);
      }
    }
    await result.complete();
    await error.complete();
    await guard?.remember(outputPath, result.temporary);
    await guard?.remember(errorsPath, error.temporary);
    await guard?.refuseTaken([outputPath, errorsPath]);
    await error.publish();
    await result.publish();
    return notes;
  } catch (cause) {
    return discardAndThrow([result, error], cause);
  }
}

async function discardAndThrow(files: readonly LineFile[], cause: unknown): Promise<never> {
  for (const file of files) await file.discard();
  throw cause;
}
