import { RolloutError } from '../base/errors.ts';
import type { ResultsKind } from '../model/results-kind.ts';
import type { Store } from '../model/store.ts';
import type { RunFile } from './run-file.ts';

/**
 * Where the results of a run are kept: where it was begun with, else what is asked for. They cannot be moved, since the ledger has written
 * down the place (L22).
 */
export function resultsKind(stateDir: string, run: RunFile | null, asked: ResultsKind | null, store: Store): ResultsKind {
  const kind = run?.results ?? asked ?? 'directory';
  if (asked !== null && asked !== kind)
    throw new RolloutError(
      'IDENTITY_DIFFERS',
      `the run in ${stateDir} keeps its results ${WHERE[kind]}, and this command says --results ${asked} (results.place): leave it out to go on with the run, or start over with --fresh or another state directory`,
    );
  if (kind === 'inline' && store.kind !== 'redis')
    throw new RolloutError(
      'USAGE',
      '--results inline (results.place) keeps the results beside the ledger on a Redis server: name one with --redis (store.redis)',
    );
  return kind;
}

const WHERE: Readonly<Record<ResultsKind, string>> = {
  directory: 'in a directory (--results directory)',
  inline: 'in Redis (--results inline)',
};
