import type { WorkerStatus } from '../../../runtime/model/status.ts';
import type { ClusterRun } from './rollout-run.ts';
import type { Cluster } from './start-cluster.ts';

/** What the coordinator of a run says itself, which is more, and earlier, than what its status says. */

async function coordinatorOf(run: ClusterRun): Promise<string> {
  const pods = await run.pods('coordinator');
  const one = pods.find(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running');
  if (one === undefined) throw new Error(`${run.name} has no coordinator that runs`);
  return one.metadata.name;
}

/** Each worker that it knows, by its name the state. */
export async function statesAtCoordinator({ api }: Cluster, run: ClusterRun): Promise<ReadonlyMap<string, WorkerStatus['state']>> {
  const path = `/api/v1/namespaces/${run.namespace}/pods/${await coordinatorOf(run)}:9464/proxy/workers`;
  const { workers } = await api.call<{ readonly workers: readonly WorkerStatus[] | null }>('GET', path);
  return new Map((workers ?? []).map(({ workerId, state }) => [workerId, state]));
}

/** A worker that it has given up: see `worker_failed` in docs/events.md. */
export interface Loss {
  readonly workerId: string;
  readonly reason: string;
  /** Items that it had, and others were given. */
  readonly handedBack: number;
}

/** All since its start. */
export async function lossesAtCoordinator(cluster: Cluster, run: ClusterRun): Promise<readonly Loss[]> {
  const log = await cluster.kubectl('logs', await coordinatorOf(run), '--namespace', run.namespace);
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Loss & { readonly msg: string }).filter(({ msg }) => msg === 'worker failed');
}
