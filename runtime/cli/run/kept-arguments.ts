import { RolloutError } from '../../base/errors.ts';
import type { ResultsKind } from '../../model/results-kind.ts';
import type { Store } from '../../model/store.ts';
import type { RunArguments } from '../arguments.ts';

/** A flag that would change nothing, since the run keeps its ledger or its results elsewhere, is refused. */
export function checkKeptArguments(args: Pick<RunArguments, 'inlineLimit' | 'redisExpireAfter'>, store: Store, results: ResultsKind): void {
  if (args.redisExpireAfter !== undefined && store.kind !== 'redis')
    throw new RolloutError(
      'USAGE',
      '--redis-expire-after is for a run whose ledger is on a Redis server: name it with --redis, or leave it out',
    );
  if (args.inlineLimit !== undefined && results !== 'inline')
    throw new RolloutError('USAGE', '--inline-limit is for results in Redis: give --results inline as well, or leave it out');
}
