import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { Cluster } from './start-cluster.ts';

const LOG_LINES = 60;
/** Of one kubectl. */
const SHOWN_LETTERS = 20_000;

/** What there is in a namespace, its pods described, its events and its logs: for whoever has to find out why a test has failed. */
export async function lastWords(cluster: Cluster, namespace: string): Promise<string> {
  const of = ['--namespace', namespace];
  const pods = await cluster.api.list<V1Pod>(`/api/v1/namespaces/${namespace}/pods`);
  const calls = [
    ['get', 'all,pvc,configmap', ...of, '-o', 'wide'],
    ['describe', 'pods', ...of],
    ['get', 'events', ...of, '--sort-by=.lastTimestamp'],
    ...pods.flatMap((pod) => logCalls(pod).map((call) => [...call, ...of])),
  ];
  const texts: string[] = [];
  for (const call of calls) texts.push(`--- kubectl ${call.join(' ')}\n${await said(cluster, call)}`);
  return texts.join('\n');
}

/** Of each container that has run, and of its life before if it was started again. */
function logCalls({ metadata, status }: V1Pod): readonly (readonly string[])[] {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.filter(hasRun).flatMap(({ name, restartCount }) => {
    const call = ['logs', metadata?.name ?? '', '--container', name, `--tail=${LOG_LINES}`];
    return restartCount > 0 ? [[...call, '--previous'], call] : [call];
  });
}

function hasRun({ state, restartCount }: V1ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || restartCount > 0;
}

async function said(cluster: Cluster, call: readonly string[]): Promise<string> {
  try {
    return (await cluster.kubectl(...call)).slice(-SHOWN_LETTERS);
  } catch (error) {
    return (error as Error).message;
  }
}
