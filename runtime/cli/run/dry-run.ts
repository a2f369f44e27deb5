import { rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { makeStateDir } from '../../base/fs/state-dir.ts';
import { removeLeftTemporaries, temporaryName } from '../../base/fs/temporary-file.ts';
import { ENTRY_BYTES } from '../../input/index/entry.ts';
import type { IndexSummary } from '../../input/index/index-summary.ts';
import { firstInvalid } from '../../input/index/refuse-invalid.ts';
import { type StatePaths, statePaths } from '../../run-dir/paths.ts';
import type { RunArguments } from '../arguments.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { type DryRun, dryRunText } from './dry-run-text.ts';
import { indexInput, readInput } from './prepare.ts';
import { indexRequest } from './run-invalid.ts';

/** `--dry-run`: indexes and checks the input in a directory of its own, estimates the disk space, and leaves nothing behind. */
export async function dryRun(deps: CliDeps, input: string, args: RunArguments, paths: StatePaths): Promise<ExitCode> {
  const prefix = `${basename(paths.stateDir)}.dry-run-`;
  const scratch = statePaths(join(dirname(paths.stateDir), await temporaryName(prefix)));
  await makeStateDir(scratch.stateDir);
  await removeLeftTemporaries(dirname(paths.stateDir), prefix);
  try {
    const prepared = await readInput(deps, input, scratch.stateDir, args);
    const summary = await indexInput(deps, indexRequest(prepared.path, args, scratch.indexDir), args.json);
    const found = await describe(prepared.path, prepared.isSpooled, summary, scratch, args);
    if (args.json) sayJson(deps.out, { kind: 'dry-run', ...found });
    else say(deps.out, dryRunText(found));
    return exitOf(found, args);
  } finally {
    await rm(scratch.stateDir, { recursive: true, force: true });
  }
}

/** As the run itself would end if every good line succeeded. */
function exitOf({ invalid }: DryRun, { onInvalid }: RunArguments): ExitCode {
  if (invalid === 0) return EXIT.done;
  return onInvalid === 'fail' ? EXIT.usage : EXIT.someFailed;
}

async function describe(
  inputPath: string,
  isSpooled: boolean,
  summary: IndexSummary,
  scratch: StatePaths,
  args: RunArguments,
): Promise<DryRun> {
  const { items, invalid, kinds, blankLines, streamed } = summary;
  const inputBytes = (await stat(inputPath)).size;
  const { bavail, bsize } = await statfs(dirname(args.output));
  return {
    items,
    invalid,
    kinds,
    blankLines,
    streamed,
    inputBytes,
    spoolBytes: isSpooled ? inputBytes : 0,
    indexBytes: items * ENTRY_BYTES,
    freeBytes: bavail * bsize,
    firstInvalid: invalid === 0 ? [] : await firstInvalid(inputPath, scratch.indexDir, items),
  };
}
