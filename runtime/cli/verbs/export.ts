import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { errorsPath } from '../../format/output-line.ts';
import { type Exported, exportResults } from '../../results/export/export.ts';
import { createOutputGuard, type OutputGuard } from '../../results/export/output-guard.ts';
import { checkOutputTarget } from '../../results/export/output-target.ts';
import { damageText } from '../../results/log/damage-text.ts';
import { outputMode } from '../../run-dir/output-mode.ts';
import { defaultStateDir, type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { checkOutputName } from '../arguments.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { damagedNames } from '../status/damaged-names.ts';
import { findRun } from '../status/find-run.ts';
import { type Environment, withRun } from '../status/stored-ledger.ts';
import { requireServed, requireStoredRun } from '../status/stored-run.ts';
import type { ExportArguments } from '../verb-arguments.ts';
import { exportRemaining } from './export-remaining.ts';
import { inScratch } from './scratch.ts';

/** `rollout export`: from what is recorded the output files, or the lines of the input that have no result. */
export async function exportVerb(deps: CliDeps, args: ExportArguments): Promise<ExitCode> {
  return args.remaining || args.failed ? exportRemaining(deps, args) : exportFiles(deps, args);
}

/** Also while the run goes on. */
async function exportFiles(deps: CliDeps, args: ExportArguments): Promise<ExitCode> {
  if (args.output !== undefined) checkOutputName(args.output);
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stored = await requireStoredRun(paths);
  const served = requireServed(stored, paths);
  const outputPath =
    args.output === undefined ? await defaultOutput(served.outputPath, args.partial, paths) : resolve(deps.cwd, args.output);
  await checkOutputTarget({ outputPath, errorsPath: errorsPath(outputPath), inputPath: served.inputPath, stateDir: paths.stateDir });
  const { done, failed, damage } = await exportTo(deps.env, paths, {
    outputPath,
    order: args.order ?? served.order,
    items: stored.index?.items ?? null,
    isPartial: args.partial,
    mode: outputMode(served.outputMode ?? null, deps.umask),
    guard: createOutputGuard({ stateDir: paths.stateDir, isOverwriting: args.overwrite, words: 'flags' }),
  });
  if (args.json)
    sayJson(deps.out, {
      done,
      failed,
      output: outputPath,
      errors: errorsPath(outputPath),
      isPartial: args.partial,
      lost: damage?.lost ?? 0,
    });
  else {
    const partial = args.partial ? ['A partial export: what was recorded until now.'] : [];
    say(deps.out, [...partial, `${done} results: ${outputPath}`, `${failed} errors:  ${errorsPath(outputPath)}`]);
  }
  if (outputPath === served.outputPath && (args.order ?? served.order) !== served.order)
    say(deps.err, [`The run's own order is ${served.order}: \`rollout verify\` accepts its output only after an export without --order.`]);
  if (damage === null) return EXIT.done;
  say(deps.err, ['Not all that is recorded could be written:', ...damageText(damage, await damagedNames(paths, damage))]);
  return EXIT.verifyBroken;
}

/**
 * A partial file at the run's output path would look like the whole output. A state directory may come from somebody else: the output
 * that it names is written only if the directory's own name agrees.
 */
async function defaultOutput(outputPath: string, isPartial: boolean, { stateDir }: StatePaths): Promise<string> {
  const path = isPartial ? `${outputPath}.partial` : outputPath;
  const stateOfOutput = defaultStateDir(outputPath);
  if ((await realpath(stateOfOutput).catch(() => stateOfOutput)) === (await realpath(stateDir))) return path;
  throw new RolloutError(
    'USAGE',
    `the state directory ${stateDir} is not that of ${outputPath}: say where to write, with --output ${path}`,
  );
}

export interface ExportRequest {
  readonly outputPath: string;
  readonly order: 'input' | 'completion';
  readonly items: number | null;
  readonly isPartial: boolean;
  readonly mode: number;
  readonly guard: OutputGuard;
}

export async function exportTo(env: Environment, paths: StatePaths, request: ExportRequest): Promise<Exported> {
  return inScratch(paths, async (tempDir) =>
    withRun(env, paths, async (reads) => exportResults({ ...request, ...reads, errorsPath: errorsPath(request.outputPath), tempDir })),
  );
}
