import { resolve } from 'node:path';
import type { Clock, Timer } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Events } from '../base/events.ts';
import type { ExitCode } from '../base/exit.ts';
import { EXIT } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import { isSupervised } from '../base/process/supervised.ts';
import type { Random } from '../base/random.ts';
import { errorsPath } from '../format/output-line.ts';
import { type Indexing, startIndexing } from '../input/index/indexer.ts';
import { openInput } from '../input/index/reader.ts';
import { refuseInvalid } from '../input/index/refuse-invalid.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { Epoch } from '../model/row.ts';
import { exportResults } from '../results/export/export.ts';
import { writeNotes } from '../results/export/notes-file.ts';
import { type ServedRun, type StateFiles, writeServing } from '../run-dir/state-files.ts';
import { checkLog, reopenForMore } from './boot/checked-log.ts';
import { completeIdentity } from './boot/identify.ts';
import type { Outputs } from './boot/outputs.ts';
import type { Recovered } from './boot/recover.ts';
import type { Again } from './boot/reopening.ts';
import { createCommitter } from './perform/committer.ts';
import { watchHintsFile } from './perform/hints-file.ts';
import { createLedgerWriter } from './perform/ledger-writer.ts';
import { createLoop, type Loop } from './perform/loop.ts';
import { createPerformer, type Perform } from './perform/performer.ts';
import { createRecorder } from './perform/recorder.ts';
import { Replies } from './perform/replies.ts';
import { createSource, type Source } from './perform/source.ts';
import { answerFinished, FINISHED_STAY_MS } from './progress/ending.ts';
import type { CoordinatorSettings } from './settings.ts';
import { createEnd, type FirstEnd } from './shutdown/end.ts';
import { exitOf, leave } from './shutdown/leaving.ts';
import { isStoreBehind, refuseStoreBehind } from './shutdown/store-behind.ts';
import type { Fact } from './state/facts.ts';
import { stateFrom } from './state/mirror.ts';
import type { MachineSettings } from './state/state.ts';

export interface ServeOptions extends Outputs {
  readonly runId: string;
  readonly settings: CoordinatorSettings;
  readonly inputPath: string;
  readonly files: StateFiles;
  readonly ledger: Ledger;
  readonly recovered: Recovered;
  /** What is recorded and is to run again. */
  readonly again: Again;
  readonly address: string;
  /** host:port of the health endpoints; null for none. */
  readonly http: string | null;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly log: Log;
  /** Told, once or more often, that another coordinator has taken the run over. */
  readonly onFenced: (epoch: Epoch, byEpoch: Epoch) => void;
  /** From now on the server may answer with this core. */
  readonly onServing: (core: Loop) => void;
  /** Resolves when the process is to end without having finished. */
  readonly interrupted: Promise<void>;
}

/** Serves the run until it is over, paused, fenced or interrupted; answers the exit code. Rejects where it cannot go on. */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { recovered, settings, files } = options;
  const found = recovered.scan.progress.state;
  if (found.kind === 'paused') return refusePaused(options, found.reason);
  const indexing = startIndexing({
    inputPath: options.inputPath,
    dir: files.index,
    form: settings.form,
    maxLineBytes: settings.maxLineBytes,
    limit: settings.limit,
  });
  try {
    const { scan, checked } = await checkLog(options, indexing);
    const ready = { ...options, recovered: { ...recovered, scan } };
    const isCompleted = scan.progress.state.kind === 'completed';
    if (isCompleted && !(await hasGrown(ready, indexing))) return await finishAgain(ready, indexing);
    if (settings.onInvalid === 'fail' && !(await isInputAccepted(ready, indexing))) return EXIT.interrupted;
    if (isCompleted) await reopenForMore(ready);
    return await run(ready, indexing, checked);
  } finally {
    await indexing.stop();
  }
}

function refusePaused({ log }: ServeOptions, reason: string): ExitCode {
  log.error({ reason }, 'the run is paused; start with --resume to go on');
  return EXIT.paused;
}

/** The whole input is indexed before the first item is handed out, and refused where it has bad lines; false when interrupted. */
async function isInputAccepted({ inputPath, files, interrupted }: ServeOptions, indexing: Indexing): Promise<boolean> {
  const summary = await Promise.race([indexing.done, interrupted]);
  if (summary === undefined) return false;
  await refuseInvalid(inputPath, files.index, summary);
  return true;
}

/** The list of a completed run has more items than are recorded: `--extend` has proved that it begins with the old one. */
async function hasGrown({ recovered }: ServeOptions, indexing: Indexing): Promise<boolean> {
  const { items } = await indexing.done;
  const { done, failed } = recovered.scan.progress;
  return items > done + failed;
}

/** Completed before, perhaps killed before the export: the files are made again, they come out the same. */
async function finishAgain(options: ServeOptions, indexing: Indexing): Promise<ExitCode> {
  const { items } = await indexing.done;
  await exportAll(options, items);
  const exit = exitOf(options.recovered.scan.progress.failed);
  // The supervisor ends its workers itself.
  if (isSupervised()) return exit;
  options.log.info({ forMs: FINISHED_STAY_MS }, 'the run is finished: workers that still hold outcomes of it are answered for a while');
  const end = await run(options, indexing, Promise.resolve(), true);
  return end === EXIT.interrupted ? exit : end;
}

async function run(options: ServeOptions, indexing: Indexing, checked: Promise<void>, isOver = false): Promise<ExitCode> {
  const { settings, recovered, clock, events, runId } = options;
  const { epoch } = recovered.leaseHolder.lease();
  const place = { inputPath: options.inputPath, dir: options.files.index };
  const reader = await openInput({ ...place, clock, written: () => indexing.count() });
  const source = createSource(indexing, reader);
  const replies = new Replies();
  const state = stateFrom(machineSettings(settings), epoch, recovered.scan, clock.monotonicMs());
  if (isOver) answerFinished(state, clock.monotonicMs());
  const end = createEnd((fenced) => options.onFenced(epoch, fenced.epoch));
  const perform = (tell: (fact: Fact) => void): Perform =>
    performerOf(options, { source, replies, end, tell, items: () => indexing.count() });
  const loop = createLoop({ runId, state, clock, replies, indexed: source.indexed, onFailure: end.fail, perform });
  indexing.done.then((summary) => completeIdentity(settings.stateDir, summary)).catch(end.fail);
  checked.catch(end.fail);
  recovered.leaseHolder.lost.then(end.fence).catch(end.fail);
  options.interrupted.then(() => end.come({ kind: 'interrupted' })).catch(end.fail);
  const { address, http, pid } = options;
  await writeServing(options.files.serving, { address, http, pid, epoch, run: servedRun(options) });
  events.emit({ kind: 'run_started', epoch, items: source.indexed().items, done: state.done, failed: state.failed });
  loop.start();
  // Read before the first worker is heard: none on a machine that is about to go is given anything.
  const hints = await watchHints(options, loop);
  options.onServing(loop);
  let lastWord = new RolloutError('COORDINATOR_UNREACHABLE', 'this coordinator has ended');
  try {
    return leave(await end.promise, state.failed);
  } catch (error) {
    if (isStoreBehind(error)) lastWord = error;
    throw error;
  } finally {
    loop.stop(lastWord);
    hints?.stop();
    await reader.close();
  }
}

async function watchHints({ settings, clock, log }: ServeOptions, loop: Loop): Promise<Timer | null> {
  if (settings.hintsFile === null) return null;
  return watchHintsFile({ file: settings.hintsFile, clock, log, onHints: (hints) => loop.tell({ kind: 'hints', hints }) });
}

interface Parts {
  readonly source: Source;
  readonly replies: Replies;
  readonly end: FirstEnd;
  readonly tell: (fact: Fact) => void;
  readonly items: () => number;
}

function performerOf(options: ServeOptions, { source, replies, end, tell, items }: Parts): Perform {
  const { recovered, ledger, clock, random, events, log, settings } = options;
  const writer = createLedgerWriter({ leaseHolder: recovered.leaseHolder, clock, random, onFenced: end.fence });
  const { epoch } = recovered.leaseHolder.lease();
  const committer = createCommitter({ epoch, ledger, writer, tell, onFailure: end.fail });
  return createPerformer({
    epoch,
    ledger,
    writer,
    committer,
    recorder: createRecorder({ log: recovered.log, writer, onDurable: committer.settle, onFailure: end.fail }),
    replies,
    source,
    form: settings.form,
    events,
    log,
    clock,
    exportResults: () => exportAll(options, items()),
    onStop: (kind, reason) => end.come(kind === 'stalled' ? { kind, reason } : { kind }),
    tell,
    onFailure: end.fail,
    onStoreBehind: (seen) => refuseStoreBehind(options.files.epochMark, epoch, seen),
  });
}

async function exportAll({ ledger, files, settings, outputMode, guard }: ServeOptions, items: number): Promise<void> {
  const { notes } = await exportResults({
    ledger,
    dir: files.segments,
    outputPath: settings.output,
    errorsPath: errorsPath(settings.output),
    order: settings.order,
    items,
    isPartial: false,
    tempDir: files.index,
    mode: outputMode,
    guard,
  });
  await writeNotes(files.answerNotes, notes);
  await guard.release();
}

function servedRun({ settings, inputPath, outputMode }: ServeOptions): ServedRun {
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

function machineSettings(settings: CoordinatorSettings): MachineSettings {
  const { timing, drainTimeoutMs, maxAttempts, breaker, maxFailedItems, stragglers, stallAfterMs, stallTimeoutMs } = settings;
  return { ...timing, drainTimeoutMs, maxAttempts, breaker, maxFailedItems, stragglers, stallAfterMs, stallTimeoutMs };
}
