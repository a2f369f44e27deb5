import { rm } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';
import { isSystemError } from '../../base/fs/state-error.ts';
import { indexFiles } from '../../input/index/index-files.ts';
import { type IndexSummary, readSummary } from '../../input/index/index-summary.ts';
import type { Progress } from '../../model/run.ts';
import { NOWHERE, type StatePaths } from '../../run-dir/paths.ts';
import { type RunFile, readRunFile } from '../../run-dir/run-file.ts';
import { readServing, type ServedRun, type Serving, writeServing } from '../../run-dir/state-files.ts';
import type { SeenStatus } from './run-status.ts';

/** A run as its state directory has it, read without disturbing its processes. */
export interface StoredRun {
  readonly runFile: RunFile;
  /** Null where no coordinator has served it yet. */
  readonly served: ServedRun | null;
  /** Null while the input has not been indexed to its end. */
  readonly index: IndexSummary | null;
}

export async function readStoredRun(paths: StatePaths): Promise<StoredRun | null> {
  const runFile = await readRunFile(paths.stateDir);
  if (runFile === null) return null;
  const served = (await readServing(paths.serving))?.run ?? null;
  const index = served === null ? null : readSummary(indexFiles(paths.indexDir), served, runFile.input);
  return { runFile, served, index };
}

/** A damaged mark of an earlier coordinator: the one that is started next writes it again. */
export async function removeDamagedMark(paths: StatePaths): Promise<void> {
  await readServing(paths.serving).catch(async (error: unknown) => {
    // One that the disk does not give may be whole.
    if (!(error instanceof RolloutError) || isSystemError(error.cause)) throw error;
    await rm(paths.serving, { force: true });
  });
}

/** Of a finished run no coordinator will write it any more. */
export async function restoreMark(paths: StatePaths, { epoch, run }: Pick<Serving, 'epoch' | 'run'>): Promise<void> {
  if ((await readServing(paths.serving)) === null) await markExportedAs(paths, { epoch, run });
}

/** The output files stand elsewhere, or in another order, than the coordinator wrote down: the proof is of those. */
export async function markExportedAs(paths: StatePaths, { epoch, run }: Pick<Serving, 'epoch' | 'run'>): Promise<void> {
  await writeServing(paths.serving, { address: NOWHERE, http: null, pid: 0, epoch, run });
}

/** The run that a verb was asked about. */
export async function requireStoredRun(paths: StatePaths): Promise<StoredRun> {
  const stored = await readStoredRun(paths);
  if (stored !== null) return stored;
  throw new RolloutError('USAGE', `${paths.stateDir} holds no run: there is no run.json in it`);
}

/** Where its files lie; refused while no coordinator has begun it. */
export function requireServed(stored: StoredRun, paths: StatePaths): ServedRun {
  if (stored.served !== null) return stored.served;
  throw new RolloutError('USAGE', `nothing of the run in ${paths.stateDir} is recorded yet: give its \`rollout run\` command again`);
}

/** The same page as a live coordinator would give, without the workers. */
export function storedStatus(stored: StoredRun, progress: Progress): Omit<SeenStatus, 'runPid' | 'silence' | 'endReason' | 'isExpired'> {
  const { state, epoch, running, handedBack, done, failed, redone } = progress;
  return {
    runId: stored.runFile.runId,
    state,
    epoch,
    items: stored.index?.items ?? progress.cursor,
    isIndexed: stored.index !== null,
    done,
    failed,
    running,
    prefetched: 0,
    handedBack,
    redone,
    // Only a coordinator that works knows it.
    results: null,
    workers: [],
    waits: [],
    stall: null,
    isLive: false,
  };
}
