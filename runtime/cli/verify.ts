import { resolve } from 'node:path';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { errorsPath } from '../results/output-line.ts';
import { type Verification, verifyRun } from '../results/verify.ts';
import { type CliDeps, say, sayJson } from './deps.ts';
import { inScratch } from './export.ts';
import { findRun } from './find-run.ts';
import { type StatePaths, statePaths } from './paths.ts';
import type { FindArguments } from './program.ts';
import { requireServed, requireStoredRun, type StoredRun, withLedger } from './stored-run.ts';
import { verificationText } from './verification-text.ts';

/** `rollout verify`: proves the run from input, output, ledger and result log. */
export async function verify(deps: CliDeps, args: FindArguments): Promise<ExitCode> {
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const found = await prove(paths, await requireStoredRun(paths));
  if (args.json) sayJson(deps.out, found);
  else say(deps.out, verificationText(found));
  return found.isProven ? EXIT.done : EXIT.verifyBroken;
}

async function prove(paths: StatePaths, stored: StoredRun): Promise<Verification> {
  const { inputPath, outputPath, order, form, maxLineBytes, limit } = requireServed(stored, paths);
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
