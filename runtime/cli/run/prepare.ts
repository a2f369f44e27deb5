import { type PreparedInput, prepareInput } from '../../input/file/spool.ts';
import type { IndexSummary } from '../../input/index/index-summary.ts';
import { type IndexRequest, startIndexing } from '../../input/index/indexer.ts';
import type { RunArguments } from '../arguments.ts';
import type { CliDeps } from '../deps.ts';
import { tellWhile } from '../view/long-work.ts';

/** The work on the input that comes before any item is executed; it is told how far it is, for it may be long. */

export async function readInput(
  deps: CliDeps,
  input: string,
  stateDir: string,
  { json, raw }: Pick<RunArguments, 'json' | 'raw'>,
): Promise<PreparedInput> {
  const stdin = deps.stdin as typeof deps.stdin & { readonly isTTY?: boolean };
  let done = 0;
  const onBytes = (bytes: number): void => {
    done = bytes;
  };
  return tellWhile(
    deps,
    json,
    () => ({ step: 'reading the input', done, unit: 'bytes' }),
    prepareInput({ input, form: raw ? 'raw' : 'batch', stateDir, stdin, onBytes }),
  );
}

export async function indexInput(deps: CliDeps, request: IndexRequest, isJson: boolean): Promise<IndexSummary> {
  const indexing = startIndexing(request);
  return tellWhile(deps, isJson, () => ({ step: 'indexing the input', done: indexing.count(), unit: 'items' }), indexing.done);
}
