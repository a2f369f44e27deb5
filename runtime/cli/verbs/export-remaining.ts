import { resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Lease } from '../../model/lease.ts';
import { createOutputGuard } from '../../results/export/output-guard.ts';
import { checkOutputTarget } from '../../results/export/output-target.ts';
import { writeRemaining } from '../../results/remaining/remaining.ts';
import { outputMode } from '../../run-dir/output-mode.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import { checkOutputName } from '../arguments.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { remainingText } from '../remaining-text.ts';
import { atRest } from '../status/at-rest.ts';
import { findRun } from '../status/find-run.ts';
import { withRun } from '../status/stored-ledger.ts';
import { requireServed, requireStoredRun } from '../status/stored-run.ts';
import type { ExportArguments } from '../verb-arguments.ts';
import { inScratch } from './scratch.ts';

/** `rollout export --remaining` and `--failed`: lines of the input that have no result, as a list for another run. */
export async function exportRemaining(deps: CliDeps, args: ExportArguments): Promise<ExitCode> {
  const outputPath = await targetOf(deps, args);
  const paths = statePaths(resolve(deps.cwd, await findRun(deps.cwd, args.state)));
  const stored = await requireStoredRun(paths);
  const served = requireServed(stored, paths);
  const { inputPath, form, maxLineBytes, limit } = served;
  await checkOutputTarget({ outputPath, errorsPath: outputPath, inputPath, stateDir: paths.stateDir });
  const found = await inScratch(paths, async (tempDir) =>
    withRun(deps.env, paths, async ({ ledger }) => {
      const { confirm } = await atRest(ledger, (lease) => live(lease, paths));
      return writeRemaining({
        ...{ ledger, confirm, inputPath, form, maxLineBytes, limit, tempDir, outputPath },
        wanted: { open: args.remaining, failed: args.failed },
        mode: outputMode(served.outputMode ?? null, deps.umask),
        guard: createOutputGuard({ stateDir: paths.stateDir, isOverwriting: args.overwrite, words: 'flags' }),
        expectedSha256: stored.index?.sha256 ?? stored.runFile.input.sha256,
      });
    }),
  );
  if (args.json) sayJson(deps.out, { ...found, output: outputPath, remaining: args.remaining, failed: args.failed });
  else say(deps.out, [...remainingText(found, form), `list: ${outputPath}`]);
  return EXIT.done;
}

/** No default: a list of what is left is to be the input of another run, which has a name of its own. */
async function targetOf({ cwd }: CliDeps, { output, partial }: ExportArguments): Promise<string> {
  if (partial)
    throw new RolloutError('USAGE', 'export: --partial writes results, --remaining and --failed lines of the input: ask for one');
  if (output === undefined) throw new RolloutError('USAGE', 'export: say where the list goes, with --output left.jsonl');
  checkOutputName(output);
  return resolve(cwd, output);
}

function live(lease: Lease | null, { stateDir }: StatePaths): RolloutError {
  const what = lease === null ? 'a coordinator has worked' : `a coordinator (pid ${lease.process.pid}, ${lease.address}) works`;
  return new RolloutError(
    'USAGE',
    `${what} on the run in ${stateDir}: it may record any of these lines; end the run with Ctrl-C, or wait for its end, and give the same command again`,
  );
}
