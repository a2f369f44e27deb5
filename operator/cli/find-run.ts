import { nearest } from '../../runtime/base/config/nearest.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { ApiError } from '../kube/api-error.ts';
import type { K8sDeps } from './deps.ts';

/** The run of that name. Throws USAGE where there is none. */
export async function requireRun(deps: Pick<K8sDeps, 'client' | 'namespace'>, name: string): Promise<RolloutRun> {
  const { client, namespace } = deps;
  const run = await client.get(ROLLOUT_RUN, { namespace, name });
  if (run !== null) return run;
  const meant = nearest(name, await namesOf(deps));
  const way = meant === null ? '`kubectl rollout-run list -A` shows all' : `did you mean ${meant}?`;
  throw new RolloutError('USAGE', `there is no RolloutRun ${name} in the namespace ${namespace}: ${way}`);
}

/** Of one page: more names than that do not help. */
const PAGE = 500;

/** The API server says of a kind that it does not know, too, that the object is not there. A list is refused then. */
async function namesOf({ client, namespace }: Pick<K8sDeps, 'client' | 'namespace'>): Promise<readonly string[]> {
  try {
    const { items } = await client.list(ROLLOUT_RUN, { namespace, limit: PAGE });
    return items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}
