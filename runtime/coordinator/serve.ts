import { join, resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Events } from '../base/events.ts';
import type { ExitCode } from '../base/exit.ts';
import { EXIT } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { type Indexing, startIndexing } from '../input/indexer.ts';
import { openInput } from '../input/reader.ts';
import type { Fenced, Ledger } from '../ledger/contract.ts';
import { exportResults } from '../results/export.ts';
import { type ServedRun, type StateFiles, writeServing } from './files.ts';
import { completeIdentity } from './identify.ts';
import { createLedgerWriter } from './ledger-writer.ts';
import { createLoop, type Loop } from './loop.ts';
import { createPerformer } from './performer.ts';
import type { Office } from './recover.ts';
import { createRecorder } from './recorder.ts';
import { Replies } from './replies.ts';
import type { CoordinatorSettings } from './settings.ts';
import { createSource } from './source.ts';
import { type MachineSettings, stateFrom } from './state.ts';

export interface ServeOptions {
  readonly runId: string;
  readonly settings: CoordinatorSettings;
  readonly inputPath: string;
  readonly files: StateFiles;
  readonly ledger: Ledger;
  readonly office: Office;
  readonly address: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly log: Log;
  /** From now on the server may answer with this core. */
  readonly onServing: (core: Loop) => void;
  /** Resolves when the process is to end without having finished. */
  readonly interrupted: Promise<void>;
}

/** Serves the run until it is over, paused, fenced or interrupted; answers the exit code. Rejects where it cannot go on. */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { office, settings, files } = options;
  const { state } = office.scan.progress;
  if (state.kind === 'paused') return refusePaused(options, state.reason);
  const indexing = startIndexing({
    inputPath: options.inputPath,
    dir: files.index,
    form: settings.form,
    maxLineBytes: settings.maxLineBytes,
    limit: settings.limit,
  });
  try {
    if (state.kind === 'completed') return await finishAgain(options, indexing);
    return await run(options, indexing);
  } finally {
    await indexing.stop();
  }
}

function refusePaused({ log }: ServeOptions, reason: string): ExitCode {
  log.error({ reason }, 'the run is paused; start with --resume to go on');
  return EXIT.paused;
}

/** Completed before, perhaps killed before the export: the files are made again, they come out the same. */
async function finishAgain(options: ServeOptions, indexing: Indexing): Promise<ExitCode> {
  const { items } = await indexing.done;
  await exportAll(options, items);
  return exitOf(options.office.scan.progress.failed);
}

async function run(options: ServeOptions, indexing: Indexing): Promise<ExitCode> {
  const { settings, office, clock, random, ledger, events, log, runId } = options;
  const { epoch } = office.keeper.lease();
  const reader = await openInput({ inputPath: options.inputPath, dir: options.files.index });
  const source = createSource(indexing, reader);
  const replies = new Replies();
  const state = stateFrom(machineSettings(settings), epoch, office.scan, clock.monotonicMs());
  const end = promiseOfEnd();
  const onFenced = (fenced: Fenced): void => end.resolve({ kind: 'fenced', epoch: fenced.epoch });
  const writer = createLedgerWriter({ keeper: office.keeper, clock, random, onFenced });
  const loop = createLoop({
    runId,
    state,
    clock,
    replies,
    indexed: source.indexed,
    onFailure: end.reject,
    perform: (tell) =>
      createPerformer({
        epoch,
        ledger,
        writer,
        replies,
        source,
        events,
        log,
        clock,
        tell,
        form: settings.form,
        onFailure: end.reject,
        onStop: (outcome) => end.resolve({ kind: outcome }),
        exportResults: () => exportAll(options, indexing.count()),
        recorder: createRecorder({
          log: office.log,
          ledger,
          writer,
          onRecorded: (recordings, verdicts) => tell({ kind: 'recorded', recordings, verdicts }),
          onFailure: end.reject,
        }),
      }),
  });
  indexing.done.then((summary) => completeIdentity(settings.stateDir, summary)).catch(end.reject);
  void office.keeper.lost.then(onFenced);
  void options.interrupted.then(() => end.resolve({ kind: 'interrupted' }));
  await writeServing(options.files.serving, { address: options.address, pid: options.pid, epoch, run: servedRun(options) });
  events.emit({ kind: 'run_started', epoch, items: indexing.isComplete() ? indexing.count() : null, done: state.done, failed: state.failed });
  loop.start();
  options.onServing(loop);
  try {
    return leave(options, await end.promise, state.failed);
  } finally {
    loop.stop(new RolloutError('COORDINATOR_UNREACHABLE', 'this coordinator has ended'));
    await reader.close();
  }
}

type End = { readonly kind: 'completed' | 'paused' | 'interrupted' } | { readonly kind: 'fenced'; readonly epoch: number };

function promiseOfEnd(): { readonly promise: Promise<End>; readonly resolve: (end: End) => void; readonly reject: (cause: unknown) => void } {
  let resolve: (end: End) => void = () => undefined;
  let reject: (cause: unknown) => void = () => undefined;
  const promise = new Promise<End>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The first end decides; a deposed coordinator says so exactly once. */
function leave({ events, office }: ServeOptions, end: End, failed: number): ExitCode {
  switch (end.kind) {
    case 'completed':
      return exitOf(failed);
    case 'paused':
      return EXIT.paused;
    case 'interrupted':
      return EXIT.interrupted;
    case 'fenced':
      events.emit({ kind: 'coordinator_fenced', epoch: office.keeper.lease().epoch, byEpoch: end.epoch });
      return EXIT.fenced;
  }
}

function exitOf(failed: number): ExitCode {
  return failed === 0 ? EXIT.done : EXIT.someFailed;
}

async function exportAll({ ledger, files, settings }: ServeOptions, items: number): Promise<void> {
  await exportResults({
    ledger,
    dir: files.segments,
    outputPath: settings.output,
    errorsPath: `${settings.output}.errors.jsonl`,
    order: settings.order,
    items,
    isPartial: false,
    tempDir: join(settings.stateDir, 'index'),
  });
}

function servedRun({ settings, inputPath }: ServeOptions): ServedRun {
  const { output, order, form, limit, maxLineBytes } = settings;
  return { inputPath: resolve(inputPath), outputPath: resolve(output), order, form, limit, maxLineBytes };
}

function machineSettings(settings: CoordinatorSettings): MachineSettings {
  const { timing, drainTimeoutMs, maxAttempts, breaker } = settings;
  return { ...timing, drainTimeoutMs, maxAttempts, breaker };
}
