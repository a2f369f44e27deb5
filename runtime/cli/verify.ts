import { resolve } from 'node:path';
import { RolloutError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import type { ServedRun } from '../coordinator/files.ts';
import { errorsPath } from '../results/output-line.ts';
import { type Verification, verifyRun } from '../results/verify.ts';
import { type CliDeps, say, sayJson } from './deps.ts';
import { inScratch } from './export.ts';
import { findRun } from './find-run.ts';
import { type StatePaths, statePaths } from './paths.ts';
import type { FindArguments } from './program.ts';
import { readProgress, requireServed, requireStoredRun, type StoredRun, withLedger } from './stored-run.ts';
import { unfinishedText, verificationText } from './verification-text.ts';

/** `rollout verify`: proves a finished run from input, output, ledger and result log. */
export async function verify(deps: CliDeps, args: FindArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stored = await requireStoredRun(paths);
  const served = requireServed(stored, paths);
  await refuseUnfinished(paths, stored);
  const found = await prove(paths, stored, served);
  if (args.json) sayJson(deps.out, found);
  else say(deps.out, verificationText(found, served.limit));
  return found.isProven ? EXIT.done : EXIT.verifyBroken;
}

/** Each item that is still open would count as a break, and read like a loss. */
async function refuseUnfinished(paths: StatePaths, stored: StoredRun): Promise<void> {
  const progress = await readProgress(paths);
  if (progress.state.kind !== 'completed') throw new RolloutError('USAGE', unfinishedText(progress, stored.index?.items ?? null));
}

async function prove(paths: StatePaths, stored: StoredRun, served: ServedRun): Promise<Verification> {
  const { inputPath, outputPath, order, form, maxLineBytes, limit } = served;
  return inScratch(paths, async (tempDir) =>
    withLedger(paths, async (ledger) =>
      verifyRun({
        ledger,
        segmentsDir: paths.segmentsDir,
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
