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

interface LoggedLine {
  readonly level: number;
  readonly msg?: string;
  readonly workerId?: string;
  readonly reason?: string;
}

/** Whom it has given up since its start, as `worker reason`: see `worker_failed` in docs/events.md. */
export async function failuresAtCoordinator(cluster: Cluster, run: ClusterRun): Promise<readonly string[]> {
  const log = await cluster.kubectl('logs', await coordinatorOf(run), '--namespace', run.namespace);
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  const failed = lines.map((line) => JSON.parse(line) as LoggedLine).filter(({ msg }) => msg === 'worker failed');
  return failed.map(({ workerId, reason }) => `${workerId} ${reason}`);
}
