import type { IndexRequest } from '../../input/index/indexer.ts';
import { refuseInvalid } from '../../input/index/refuse-invalid.ts';
import { MAX_LINE_BYTES } from '../../model/limits.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import type { RunArguments } from '../arguments.ts';
import type { CliDeps } from '../deps.ts';
import { indexInput } from './prepare.ts';

/** `--on-invalid fail`, before any process is started. */
export async function refuseInvalidLines(deps: CliDeps, inputPath: string, args: RunArguments, paths: StatePaths): Promise<void> {
  await refuseInvalid(inputPath, paths.indexDir, await indexInput(deps, indexRequest(inputPath, args, paths.indexDir), args.json));
}

export function indexRequest(inputPath: string, args: RunArguments, dir: string): IndexRequest {
  return { inputPath, dir, form: args.raw ? 'raw' : 'batch', maxLineBytes: MAX_LINE_BYTES, limit: args.limit ?? null };
}
