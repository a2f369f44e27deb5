import { assertNever } from '../../base/assert.ts';
import { EMBEDDED, type RedisStore, type Store } from '../../model/store.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { readRunFile } from '../../run-dir/run-file.ts';
import { type CliDeps, say } from '../deps.ts';
import { answering } from '../status/stored-ledger.ts';

/** The store of this run, found fit for it: a server that would lose items is refused, and what may be lost on it is said. */
export async function fitStore(deps: CliDeps, { stateDir }: StatePaths, isFresh: boolean, named: Store | null): Promise<Store> {
  const run = isFresh ? null : await readRunFile(stateDir);
  const store = named ?? run?.store ?? EMBEDDED;
  switch (store.kind) {
    case 'embedded':
      return store;
    case 'redis':
      await requireFitServer(deps, store, run?.runId ?? NEW_RUN);
      return store;
    default:
      return assertNever(store);
  }
}

/** What is asked of a server is the same for the keys of any run. */
const NEW_RUN = 'new';

async function requireFitServer(deps: CliDeps, store: RedisStore, runId: string): Promise<void> {
  const { requireFit } = await import('../../ledger/redis/server-check.ts');
  const findings = await answering(store, async () => requireFit(store, deps.env, runId));
  say(
    deps.err,
    findings.map(({ what, fix }) => `Redis: ${what}; to change that, ${fix}`),
  );
}
