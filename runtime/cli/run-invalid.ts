import { startIndexing } from '../input/indexer.ts';
import { refuseInvalid } from '../input/refuse-invalid.ts';
import type { RunArguments } from './arguments.ts';
import { MAX_LINE_BYTES, type StatePaths } from './paths.ts';

/** `--on-invalid fail`, before any process is started. */
export async function refuseInvalidLines(inputPath: string, args: RunArguments, paths: StatePaths): Promise<void> {
  await refuseInvalid(inputPath, paths.indexDir, await startIndexing(indexRequest(inputPath, args, paths.indexDir)).done);
}

export function indexRequest(inputPath: string, args: RunArguments, dir: string): Parameters<typeof startIndexing>[0] {
  return { inputPath, dir, form: args.raw ? 'raw' : 'batch', maxLineBytes: MAX_LINE_BYTES, limit: args.limit ?? null };
}
