import type { RolloutRun } from '../api/run.ts';
import { objectPath, POD } from '../kube/kind.ts';
import { HTTP_PORT } from '../rollout/desired/pod-places.ts';
import type { K8sDeps } from './deps.ts';

/** What the coordinator says of a worker. */
export interface ToldWorker {
  readonly workerId: string;
  readonly state: string;
  readonly running: number;
  readonly concurrency: number;
  /** Why it takes no items; empty where it takes them. */
  readonly detail: string;
}

/** What is not answered at once is not known: the way is closed where a NetworkPolicy keeps the API server out. */
const DEADLINE_MS = 5_000;

/** The workers as the coordinator knows them, asked by way of the API server; null where it cannot be asked. */
export async function toldWorkers({ transport, namespace }: K8sDeps, run: RolloutRun): Promise<readonly ToldWorker[] | null> {
  const pod = run.status?.coordinator?.pod;
  if (pod === undefined) return null;
  const path = `${objectPath(POD, { namespace, name: pod })}:${HTTP_PORT}/proxy/workers`;
  try {
    const { status, body } = await transport.call({ method: 'GET', path, deadlineMs: DEADLINE_MS });
    return status === 200 ? (JSON.parse(body) as { readonly workers: readonly ToldWorker[] | null }).workers : null;
  } catch {
    return null;
  }
}
