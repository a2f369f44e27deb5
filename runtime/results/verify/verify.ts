import { mkdir } from 'node:fs/promises';
import type { Progress } from '../../model/run.ts';
import type { LedgerReads, OutputOrder } from '../log/contract.ts';
import { findDamage } from '../log/damage.ts';
import { PROBLEM_TEXT } from '../log/damage-text.ts';
import { findHiddenRecord, hiddenText } from '../log/hidden.ts';
import { Locator } from '../log/locator.ts';
import type { PlaceReads } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import { missingSegments } from '../place/segments.ts';
import { explainFiles } from './explain.ts';
import { InputLines, type InputSettings, sha256Of } from './input-lines.ts';
import { areFilesExact } from './verify-files.ts';
import { checkInputBatch } from './verify-input.ts';
import { type Violation, Violations } from './violations.ts';

export interface VerifyOptions extends InputSettings {
  readonly ledger: LedgerReads;
  readonly place: PlaceReads;
  readonly outputPath: string;
  readonly errorsPath: string;
  readonly order: OutputOrder;
  /** Of the input as the run read it: of all of it, or with a limit up to the end of the last line that counts. */
  readonly expectedSha256: string | null;
}

export interface Verification {
  readonly isProven: boolean;
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  readonly blankLines: number;
  /** The first ones found. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
}

/**
 * Proves from input, output, ledger and result log, in constant memory: each input line is in exactly one of the two files, and the
 * counts are equal. In three steps, each of which holds by itself:
 *
 *   1. the ledger is closed and consistent (L6), and each bit has its frame (L21);
 *   2. each input line, read again, has exactly one index, and the frame of that index is a record of that line;
 *   3. the two files hold exactly these frames, byte for byte, in the run's order, and nothing else.
 *
 * Only when the third fails is it worth knowing how: then each line of the files is looked up, which takes longer.
 */
export async function verifyRun(options: VerifyOptions): Promise<Verification> {
  await mkdir(options.tempDir, { recursive: true });
  const violations = new Violations();
  const progress = await options.ledger.progress();
  const locator = await Locator.build({ ...options, items: progress.cursor });
  try {
    checkLedger(progress, locator, violations);
    await checkLog(options, locator, violations);
    const input = await checkInput(options, locator, violations);
    if (!(await areFilesExact(options, locator))) await explainFiles(options, locator, violations);
    const { done, failed } = locator;
    return { isProven: violations.count === 0, ...input, done, failed, violations: violations.first, violationCount: violations.count };
  } finally {
    locator.dispose();
  }
}

/** L6: an item is in exactly one state, and in the end each is done or failed. */
function checkLedger(progress: Progress, locator: Locator, violations: Violations): void {
  const { state, cursor, running, handedBack, done, failed } = progress;
  if (state.kind !== 'completed') violations.add('ledger', null, `the run is not finished, it is ${state.kind}`);
  if (cursor !== running + handedBack + done + failed) {
    violations.add(
      'ledger',
      null,
      `${cursor} items were handed out, but ${running} running + ${handedBack} handed back + ${done} done + ${failed} failed are counted`,
    );
  }
  for (const [word, counted, set] of [
    ['done', done, locator.done],
    ['failed', failed, locator.failed],
  ] as const) {
    if (counted !== set) violations.add('ledger', null, `${counted} items are counted as ${word}, but ${set} are marked so`);
  }
}

async function checkLog(options: VerifyOptions, locator: Locator, violations: Violations): Promise<void> {
  const { place } = options;
  for (const epoch of await missingSegments(place, await options.ledger.tallies()))
    violations.add(segmentPath(place, epoch), null, 'is missing, but the ledger accepted results that were written to it');
  const hidden = await findHiddenRecord(locator, place);
  if (hidden !== null) violations.add(hidden.path, null, `hides a record: ${hiddenText(hidden)}`);
  if (hidden === null && !(await isRecordMissing(locator))) return checkTallies(locator, place, violations);
  if (!(await isRecordMissing(locator))) return;
  // A cut tail alone is what a crash leaves. Only when a record is missing is it worth naming.
  for (const { path, offset, segmentBytes, problem } of locator.ends) {
    if (problem !== null) violations.add(path, null, `cannot be read from byte ${offset} of ${segmentBytes} on: ${PROBLEM_TEXT[problem]}`);
  }
}

/** L39: every item has a frame, and yet some of these are not the ones that were accepted. */
async function checkTallies(locator: Locator, place: PlaceReads, violations: Violations): Promise<void> {
  const { lost, indexes, segments } = await findDamage(locator, place);
  if (lost === 0) return;
  const named = `${indexes.join(', ')}${lost > indexes.length ? `, and ${lost - indexes.length} more` : ''}`;
  for (const { path, accepted, left } of segments)
    violations.add(
      path,
      null,
      `has ${left} of the ${accepted} outcomes that the ledger accepted there; item indexes that lost theirs: ${named}`,
    );
}

async function isRecordMissing(locator: Locator): Promise<boolean> {
  for (let index = 0; index < locator.items; index++) if (locator.hasProblem(index)) return true;
  return false;
}

async function checkInput(
  options: VerifyOptions,
  locator: Locator,
  violations: Violations,
): Promise<{ items: number; blankLines: number }> {
  const input = new InputLines(options);
  for await (const lines of input.read()) await checkInputBatch(options, locator, lines, violations);
  const { items, blankLines, bytes } = input;
  if (items !== locator.items)
    violations.add(options.inputPath, null, `has ${items} input lines, but the ledger handed out ${locator.items} items`);
  await checkDigest(options, bytes, violations);
  return { items, blankLines };
}

async function checkDigest(options: VerifyOptions, bytes: number, violations: Violations): Promise<void> {
  if (options.expectedSha256 === null) return;
  const found = await sha256Of(options.inputPath, bytes);
  if (found !== options.expectedSha256) {
    violations.add(options.inputPath, null, `has changed since the run: its SHA-256 is ${found}, the run read ${options.expectedSha256}`);
  }
}
