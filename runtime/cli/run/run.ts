import { readdir, rename, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import type { ProcessLock } from '../../base/fs/process-lock.ts';
import { makeStateDir, stateUnusable } from '../../base/fs/state-dir.ts';
import { errorsPath } from '../../format/output-line.ts';
import { checkInputFile } from '../../input/file/spool.ts';
import { MAX_LINE_BYTES } from '../../model/limits.ts';
import { defaultStateDir, type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { readRunFile } from '../../run-dir/run-file.ts';
import { lockRun } from '../../run-dir/run-lock.ts';
import { resultsKind } from '../../run-dir/run-results.ts';
import { keepStore } from '../../run-dir/run-store.ts';
import type { ServedRun } from '../../run-dir/state-files.ts';
import { loadAuthorities } from '../../tls/authorities.ts';
import { checkRunArguments, chosenBackend, type RunArguments } from '../arguments.ts';
import { type CliDeps, say } from '../deps.ts';
import { namedServer } from '../redis-arguments.ts';
import { readProgress } from '../status/stored-ledger.ts';
import { markExportedAs, readStoredRun, removeDamagedMark, restoreMark } from '../status/stored-run.ts';
import { exportTo } from '../verbs/export.ts';
import { refuseDamaged } from '../verbs/inspect.ts';
import { dryRun } from './dry-run.ts';
import { type Found, finishedText, foundText, nothingToRetry, retryText } from './found-text.ts';
import { checkKeptArguments } from './kept-arguments.ts';
import { endLeftovers } from './leftovers.ts';
import { indexInput, readInput } from './prepare.ts';
import { refuseFewFiles, refuseServed } from './refuse-start.ts';
import { executeRun } from './run-execution.ts';
import { isExported, markExported } from './run-exported.ts';
import { type IdentifiedRun, identifyRun, type RunKept } from './run-identity.ts';
import { indexRequest, refuseInvalidLines } from './run-invalid.ts';
import { inheritOutputs, type RunOutputs, runOutputs } from './run-outputs.ts';
import { waitingOutcomes } from './run-slots.ts';
import { fitStore } from './run-store.ts';
import { waitForDiskSpace, withDiskSpace } from './wait-for-disk-space.ts';

/** `rollout run`: begins a run, or goes on with the one that is there, and stays until it ends. */
export async function run(deps: CliDeps, input: string, given: RunArguments): Promise<ExitCode> {
  checkRunArguments(given);
  const named = namedServer(given, deps.cwd);
  refuseFewFiles(given.concurrency);
  // A worker would find it only when all else is prepared.
  if (chosenBackend(given) === 'openai') await loadAuthorities(given.caCert ?? null, deps.env);
  const args = { ...given, output: resolve(deps.cwd, given.output) };
  const inputPath = input === '-' ? input : resolve(deps.cwd, input);
  const paths = statePaths(resolve(deps.cwd, args.state ?? defaultStateDir(args.output)));
  // Before a state directory is made for it.
  if (inputPath !== '-') await checkInputFile(inputPath, args.raw ? 'raw' : 'batch');
  await checkStateDir(paths, args.output);
  if (args.failed === true) await requireRetryable(paths);
  const outputs = await runOutputs({
    paths,
    output: args.output,
    inputPath: inputPath === '-' ? null : inputPath,
    isOverwriting: args.overwrite,
    umask: deps.umask,
  });
  // Where all is written, nothing is replaced.
  if (args.fresh || !(await isExported(paths, args.output, null))) await outputs.check();
  if (args.dryRun) return dryRun(deps, inputPath, args, paths);
  const store = await fitStore(deps, paths, args.fresh, named);
  const results = resultsKind(paths.stateDir, args.fresh ? null : await readRunFile(paths.stateDir), args.results ?? null, store);
  checkKeptArguments(args, store, results);
  const lock = await withDiskSpace(deps, paths, args.minFreeSpace, async () => lockState(deps, paths, args.fresh));
  try {
    return await runLocked(deps, inputPath, args, paths, { store, results }, outputs);
  } finally {
    await lock.release();
  }
}

async function runLocked(
  deps: CliDeps,
  input: string,
  args: RunArguments,
  paths: StatePaths,
  kept: RunKept,
  outputs: RunOutputs,
): Promise<ExitCode> {
  const notice = (line: string): void => say(deps.err, [line]);
  await keepStore(paths.stateDir, kept.store);
  const prepared = await readInput(deps, input, paths.stateDir, args);
  const identified = await identifyRun(deps, paths, prepared.path, args, kept);
  const found = identified.isNew ? null : await lookAt(deps, paths, identified);
  if (found !== null && !identified.isExtended && isOver(found) && !isAgain(found, args))
    return alreadyFinished(deps, found, prepared.path, args, paths, outputs);
  if (found !== null && !args.rerunDamaged) await refuseDamaged(deps, paths, args.json);
  // Before anything is changed or executed: the index proves that the old lines are unchanged.
  const extended = identified.isExtended ? await indexInput(deps, indexRequest(prepared.path, args, paths.indexDir), args.json) : null;
  if (args.onInvalid === 'fail') await refuseInvalidLines(deps, prepared.path, args, paths);
  await waitForDiskSpace(deps, paths.stateDir, args.minFreeSpace);
  await identified.keep();
  await outputs.claim();
  await endLeftovers(paths.children, deps.clock, notice);
  const waiting = await waitingOutcomes(paths);
  if (found !== null) say(deps.err, foundText({ ...found, items: extended?.items ?? found.items, waiting }));
  if (found !== null && args.failed === true) say(deps.err, [retryText(found)]);
  const isPaused = found?.progress.state.kind === 'paused';
  const exit = await executeRun(deps, {
    runId: identified.runId,
    inputPath: prepared.path,
    outputMode: outputs.mode,
    store: kept.store,
    args,
    paths,
    isPaused,
    slotsWithOutcomes: [...waiting.keys()],
  });
  if (exit === EXIT.done || exit === EXIT.someFailed) await markExported(paths, args.output, (await readProgress(deps.env, paths)).epoch);
  return exit;
}

/** A run that was extended has more items than are recorded, until its coordinator has taken it up again. */
function isOver({ progress, items }: Found): boolean {
  return progress.state.kind === 'completed' && (items === null || items === progress.done + progress.failed);
}

/** Before a state directory is made. */
async function requireRetryable({ stateDir }: StatePaths): Promise<void> {
  if ((await readRunFile(stateDir)) === null)
    throw new RolloutError('USAGE', `there is no run in ${stateDir} yet whose failed lines could run again: use \`rollout run\``);
}

/** Something of a finished run is to run again. */
function isAgain({ progress, invalid }: Found, { failed, rerunDamaged }: RunArguments): boolean {
  return rerunDamaged || (failed === true && progress.failed > (invalid ?? 0));
}

/** What a state directory holds from its first moments on; one brought along may hold certificates only. */
const marksOf = ({ runFile, lock, tlsDir }: StatePaths): readonly string[] => [runFile, lock, tlsDir].map((path) => basename(path));

/** A directory of something else is neither filled with a run's files nor moved aside by --fresh. */
async function checkStateDir(paths: StatePaths, output: string): Promise<void> {
  const { stateDir } = paths;
  if (stateDir === output || stateDir === errorsPath(output))
    throw new RolloutError('USAGE', `--state ${stateDir} is an output file of the run: name another directory`);
  const names = await readdir(stateDir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new RolloutError('STATE_UNREADABLE', `cannot use ${stateDir} as the state directory: ${cause.message}`, { cause });
  });
  if (names.length === 0 || names.some((name) => marksOf(paths).includes(name))) return;
  throw new RolloutError('USAGE', `${stateDir} holds something else than a run: name a new or an empty directory with --state`);
}

/** With --fresh what is there is moved aside, under the lock: so nobody works on it. */
async function lockState(deps: CliDeps, paths: StatePaths, isFresh: boolean): Promise<ProcessLock> {
  const isThere = (await ifThere(paths.stateDir, stat(paths.stateDir))) !== null;
  await makeStateDir(paths.stateDir);
  const lock = await lockRun(paths.lock).catch((error: unknown) => {
    throw stateUnusable(paths.stateDir, error);
  });
  if (!isFresh || !isThere) return lock;
  const stamp = new Date(deps.clock.wallMs()).toISOString().replaceAll(/\D/g, '').slice(0, 17);
  const aside = `${paths.stateDir}.${stamp}`;
  await endLeftovers(paths.children, deps.clock, (line) => say(deps.err, [line]));
  await refuseServed(deps.env, paths, lock);
  await lock.release();
  await rename(paths.stateDir, aside);
  say(deps.err, [`--fresh: the state directory that was there is now ${basename(aside)}`]);
  await makeStateDir(paths.stateDir);
  await inheritOutputs(aside, paths.stateDir);
  return lockRun(paths.lock);
}

async function lookAt(deps: CliDeps, paths: StatePaths, identified: IdentifiedRun): Promise<Found> {
  await removeDamagedMark(paths);
  const [stored, progress] = [await readStoredRun(paths), await readProgress(deps.env, paths)];
  const items = identified.isOtherList ? null : (stored?.index?.items ?? null);
  return { stateDir: paths.stateDir, progress, items, invalid: stored?.index?.invalid ?? null, waiting: new Map() };
}

/** As the coordinator would write it down. */
function servedAs({ output, order, raw, limit }: RunArguments, inputPath: string, { tlsDir }: StatePaths, outputMode: number): ServedRun {
  const form = raw ? 'raw' : 'batch';
  return { inputPath, outputPath: output, outputMode, tlsDir, order, form, limit: limit ?? null, maxLineBytes: MAX_LINE_BYTES };
}

/** The files are made again where one is missing, or where their writing may have been cut short. */
async function alreadyFinished(
  deps: CliDeps,
  found: Found,
  inputPath: string,
  args: RunArguments,
  paths: StatePaths,
  { mode, guard }: RunOutputs,
): Promise<ExitCode> {
  const { done, failed, epoch } = found.progress;
  const mark = { epoch, run: servedAs(args, inputPath, paths, mode) };
  await restoreMark(paths, mark);
  if (!(await isExported(paths, args.output, epoch))) {
    await exportTo(deps.env, paths, { outputPath: args.output, order: args.order, items: done + failed, isPartial: false, mode, guard });
    await markExportedAs(paths, mark);
    await markExported(paths, args.output, epoch);
  }
  await guard.release();
  const isRetry = args.failed === true;
  say(deps.err, isRetry ? nothingToRetry(paths.stateDir, found.invalid) : finishedText(found, args.output, errorsPath(args.output)));
  return failed > 0 ? EXIT.someFailed : EXIT.done;
}
