import { resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { errorsPath } from '../../format/output-line.ts';
import { damageText } from '../../results/log/damage-text.ts';
import { type Verification, verifyRun } from '../../results/verify/verify.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import type { ServedRun } from '../../run-dir/state-files.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { damagedNames } from '../status/damaged-names.ts';
import { findRun } from '../status/find-run.ts';
import { type Environment, readProgress, withRun } from '../status/stored-ledger.ts';
import { requireServed, requireStoredRun, type StoredRun } from '../status/stored-run.ts';
import type { FindArguments } from '../verb-arguments.ts';
import { inspectResults } from './inspect.ts';
import { inScratch } from './scratch.ts';
import { unfinishedText, verificationText } from './verification-text.ts';

/** `rollout verify`: proves a finished run from input, output, ledger and result log. */
export async function verify(deps: CliDeps, args: FindArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stored = await requireStoredRun(paths);
  const served = requireServed(stored, paths);
  const progress = await readProgress(deps.env, paths);
  if (progress.state.kind !== 'completed') return unfinished(deps, paths, stored, args.json);
  const found = await prove(deps.env, paths, stored, served);
  if (args.json) sayJson(deps.out, found);
  else say(deps.out, verificationText(found, served.limit));
  return found.isProven ? EXIT.done : EXIT.verifyBroken;
}

/** An item that is still open would be reported like a lost one: only recorded items are checked. */
async function unfinished(deps: CliDeps, paths: StatePaths, stored: StoredRun, isJson: boolean): Promise<ExitCode> {
  const damage = await inspectResults(deps, paths, isJson);
  const progress = await readProgress(deps.env, paths);
  if (damage.lost === 0) throw new RolloutError('USAGE', unfinishedText(progress, stored.index?.items ?? null));
  const told = damageText(damage, await damagedNames(paths, damage));
  if (isJson) sayJson(deps.out, { isProven: false, isFinished: false, lost: damage.lost, damage: told });
  else say(deps.out, ['NOT verified: the run is not finished, and of what it has recorded', ...told]);
  return EXIT.verifyBroken;
}

async function prove(env: Environment, paths: StatePaths, stored: StoredRun, served: ServedRun): Promise<Verification> {
  const { inputPath, outputPath, order, form, maxLineBytes, limit } = served;
  return inScratch(paths, async (tempDir) =>
    withRun(env, paths, async (reads) =>
      verifyRun({
        ...reads,
        inputPath,
        outputPath,
        errorsPath: errorsPath(outputPath),
        order,
        form,
        maxLineBytes,
        limit,
        expectedSha256: stored.index?.sha256 ?? stored.runFile.input.sha256,
        tempDir,
      }),
    ),
  );
}
