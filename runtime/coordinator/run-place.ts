import { resolve } from 'node:path';
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { errorsPath } from '../format/output-line.ts';
import type { IndexSummary } from '../input/index/index-summary.ts';
import { type Indexing, startIndexing } from '../input/index/indexer.ts';
import { type InputReader, openInput } from '../input/index/reader.ts';
import { refuseInvalid } from '../input/index/refuse-invalid.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { LedgerReader } from '../ledger/views.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { Epoch } from '../model/row.ts';
import { exportResults } from '../results/export/export.ts';
import { writeNotes } from '../results/export/notes-file.ts';
import type { ResultsPlace } from '../results/place/contract.ts';
import { writeFinishedRun } from '../run-dir/finished-run.ts';
import { type StatePaths, statePaths } from '../run-dir/paths.ts';
import { type ServedRun, writeServing } from '../run-dir/state-files.ts';
import { type Admission, type Admitted, admit } from './boot/admission.ts';
import { bootDisk } from './boot/boot-disk.ts';
import { type CheckedLog, checkLog, type UncheckedLog } from './boot/checked-log.ts';
import { completeIdentity } from './boot/identify.ts';
import type { Outputs } from './boot/outputs.ts';
import type { BootDisk } from './boot/recover.ts';
import type { Again } from './boot/reopening.ts';
import { patientReads } from './perform/ledger-writer.ts';
import type { CoordinatorSettings } from './settings.ts';
import { refuseStoreBehind } from './shutdown/store-behind.ts';
import type { SeenEpoch } from './state/commands.ts';

/** The run as it lies on a disk: its input, its state directory and its results. */
export interface RunPlace {
  readonly disk: BootDisk;
  startIndexing(): Indexing;
  openInput(indexing: Indexing): Promise<Pick<InputReader, 'lines' | 'invalidReason' | 'survey' | 'close'>>;
  /** Nothing is handed out or exported before it. Rejects where the run has another list. Null where any list may be run. */
  readonly admit: ((epoch: Epoch, summary: IndexSummary, recorded: number) => Promise<Admitted>) | null;
  /** Nothing is handed out before it. Rejects where there are bad lines. Null where they may be run. */
  readonly refuseInvalid: ((summary: IndexSummary) => Promise<void>) | null;
  /** The index is whole. */
  keepIdentity(summary: IndexSummary): Promise<void>;
  /** Compares the log with the ledger before anything is executed, and reopens what was asked for. */
  checkLog(unchecked: UncheckedLog): Promise<CheckedLog>;
  /** Says who serves the run from now on. */
  writeServing(epoch: Epoch): Promise<void>;
  /** Resolves when the hints have been read once; null where there is no file of hints. */
  watchHints(onHints: (hints: readonly ComputeHint[]) => void): Promise<Timer | null>;
  /** Of the finished run, and how it ended. */
  exportResults(epoch: Epoch, items: number): Promise<void>;
  /** A worker has seen a later epoch than the store (L41). Rejects. */
  refuseStoreBehind(own: Epoch, seen: SeenEpoch): Promise<never>;
}

export interface RunPlaceOptions extends Outputs {
  readonly runId: string;
  readonly settings: CoordinatorSettings;
  readonly inputPath: string;
  readonly ledger: Ledger;
  /** Where the results are; each call is asked until it is answered (L20). */
  readonly results: ResultsPlace;
  /** Null where any list may be run. */
  readonly admission: Admission | null;
  /** What is recorded and is to run again. */
  readonly again: Again;
  readonly address: string;
  /** host:port of the health endpoints; null for none. */
  readonly http: string | null;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function runPlace(options: RunPlaceOptions): RunPlace {
  const { runId, settings, inputPath, ledger, results, admission, again, address, http, pid, clock, random, log } = options;
  const { form, maxLineBytes, limit, hintsFile: file, stateDir } = settings;
  const paths = statePaths(stateDir);
  const dir = paths.indexDir;
  const reads = patientReads(ledger, { clock, random });
  return {
    disk: bootDisk({ paths, runId, place: results, isBesideLedger: admission !== null }),
    startIndexing: () => startIndexing({ inputPath, dir, form, maxLineBytes, limit }),
    openInput: (indexing) => openInput({ inputPath, dir, clock, written: () => indexing.count() }),
    admit:
      admission === null
        ? null
        : (epoch, summary, recorded) => admit(admission, epoch, { inputPath, form, maxLineBytes, summary, recorded }),
    refuseInvalid: settings.onInvalid === 'fail' ? (summary) => refuseInvalid(inputPath, dir, summary) : null,
    keepIdentity: (summary) => completeIdentity(stateDir, summary),
    checkLog: (unchecked) => checkLog({ inputPath, paths, place: results, form, again, ledger, reads, log }, unchecked),
    writeServing: (epoch) => writeServing(paths.serving, { address, http, pid, epoch, run: servedRun(options) }),
    watchHints: async (onHints) =>
      file === null ? null : (await import('./perform/hints-file.ts')).watchHintsFile({ file, clock, log, onHints }),
    exportResults: (epoch, items) => exportAll(options, reads, paths, epoch, items),
    refuseStoreBehind: (own, seen) => refuseStoreBehind(paths.epochMark, settings.store, own, seen),
  };
}

async function exportAll(
  { settings, results, outputMode, guard }: RunPlaceOptions,
  ledger: Omit<LedgerReader, 'readLease'>,
  paths: StatePaths,
  epoch: Epoch,
  items: number,
): Promise<void> {
  const { notes, done, failed } = await exportResults({
    ledger,
    place: results,
    outputPath: settings.output,
    errorsPath: errorsPath(settings.output),
    order: settings.order,
    items,
    isPartial: false,
    tempDir: paths.indexDir,
    mode: outputMode,
    guard,
  });
  await writeNotes(paths.answerNotes, notes);
  await writeFinishedRun(paths.finished, { epoch, done, failed });
  await guard.release();
}

function servedRun({ settings, inputPath, outputMode }: RunPlaceOptions): ServedRun {
  const { output, tlsDir, order, form, limit, maxLineBytes } = settings;
  return {
    inputPath: resolve(inputPath),
    outputPath: resolve(output),
    outputMode,
    tlsDir: resolve(tlsDir),
    order,
    form,
    limit,
    maxLineBytes,
  };
}
