import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1NodeCondition, V1Taint } from '@kubernetes/client-node';
import type { SignalRow } from '../../../operator/nodes/signals.ts';
import { Refused } from './api.ts';
import type { Cluster } from './start-cluster.ts';

/** Signs of the future of nodes, as clouds and autoscalers write them. */

/** Keeps no pod away by itself, and the controllers of Kubernetes let it stand whatever its key is: what follows is the operator's doing. */
const EFFECT = 'PreferNoSchedule';
/** The kubelet writes its own condition Ready every few seconds: a node has to be read and written between two of them. */
const PAUSE_MS = 100;
const STRATEGIC = 'application/strategic-merge-patch+json';
/** The condition of the kubelet, which puts it right by itself. */
const OF_KUBELET = 'Ready';
/** As far in the future as the notice of the shortest provider. */
const AHEAD_MS = 30_000;

/** Writes what the row describes on the node, and nothing else; nobody evicts. Answers how to take it back. */
export async function markNode(cluster: Cluster, node: string, row: SignalRow): Promise<() => Promise<void>> {
  if (row.kind === 'taint') {
    await taint(cluster, node, row);
    return async () => untaint(cluster, node, row.key);
  }
  await setCondition(cluster, node, conditionOf(row));
  if (row.key === OF_KUBELET) return async () => cluster.untilNode(node, 'True');
  return async () => setCondition(cluster, node, { type: row.key, $patch: 'delete' });
}

export async function taint(cluster: Cluster, node: string, { key, value = 'event' }: Pick<SignalRow, 'key' | 'value'>): Promise<void> {
  await changeTaints(cluster, node, (taints) => [...taints.filter((one) => one.key !== key), { key, value, effect: EFFECT }]);
}

export async function untaint(cluster: Cluster, node: string, key: string): Promise<void> {
  await changeTaints(cluster, node, (taints) => taints.filter((one) => one.key !== key));
}

function conditionOf({ key, value = 'True', message = '', deadlineFrom }: SignalRow): Partial<V1NodeCondition> {
  const at = new Date(Date.now() + AHEAD_MS).toUTCString();
  return { type: key, status: value, reason: 'Test', message: deadlineFrom === 'message' ? `Preempt Scheduled: ${at}` : message };
}

async function setCondition({ api }: Cluster, node: string, condition: object): Promise<void> {
  await api.call('PATCH', `/api/v1/nodes/${node}/status`, { status: { conditions: [condition] } }, STRATEGIC);
}

async function changeTaints({ api }: Cluster, node: string, change: (taints: readonly V1Taint[]) => readonly V1Taint[]): Promise<void> {
  const path = `/api/v1/nodes/${node}`;
  for (;;) {
    const { metadata, spec } = await api.call<V1Node>('GET', path);
    const patch = { metadata: { resourceVersion: metadata?.resourceVersion }, spec: { taints: change(spec?.taints ?? []) } };
    try {
      await api.call('PATCH', path, patch, 'application/merge-patch+json');
      return;
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
