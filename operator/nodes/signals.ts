import type { Provider, Severity } from '../../runtime/model/hint.ts';
import type { Node } from '../kube/kind.ts';

/** What a node's taints and conditions say of its future. */
export interface Signal {
  readonly severity: Severity;
  readonly provider: Provider | null;
  /** When the machine goes (wall clock); null where nobody says. */
  readonly deadlineMs: number | null;
  /** One line for people: which taint or condition. */
  readonly reason: string;
  /** Nobody says that it is gone: it has not been heard of, for which whoever listens may be the cause. */
  readonly isSilence?: boolean;
}

/** One row of the table: what is seen on a node, and what it means. */
export interface SignalRow {
  readonly kind: 'taint' | 'condition';
  /** Key of the taint, or type of the condition. */
  readonly key: string;
  /** Of the taint, or status of the condition; absent: any value, and the status True. */
  readonly value?: string | undefined;
  /** A part of the condition's message. */
  readonly message?: string | undefined;
  readonly severity: Severity;
  readonly provider?: Provider | undefined;
  /** How long before its end the machine is announced, where that differs from the provider's notice. */
  readonly leadSeconds?: number | undefined;
  /** Where the time of the end stands in the condition's message, as a date that JavaScript reads. */
  readonly deadlineFrom?: 'message' | undefined;
  /** It says that nothing has been heard of the node. */
  readonly isSilence?: boolean | undefined;
}

const AWS = { kind: 'taint', severity: 'drain', provider: 'aws' } as const;
const AZURE = { severity: 'drain', provider: 'azure' } as const;

/**
 * What clouds, autoscalers and Kubernetes itself write on nodes that will go. A taint that a node has for all its life, as AKS puts on spot
 * nodes, is none of them. Sources: the projects' own documents and code, named by the prefix of each key.
 */
export const SIGNAL_ROWS: readonly SignalRow[] = [
  { ...AWS, key: 'aws-node-termination-handler/spot-itn' },
  { ...AWS, key: 'aws-node-termination-handler/asg-lifecycle-termination' },
  { ...AWS, key: 'aws-node-termination-handler/scheduled-maintenance' },
  { ...AWS, key: 'aws-node-termination-handler/rebalance-recommendation', severity: 'hint' },
  { kind: 'taint', key: 'karpenter.sh/disrupted', severity: 'drain', leadSeconds: 120 },
  { kind: 'taint', key: 'karpenter.sh/disruption', value: 'disrupting', severity: 'drain', leadSeconds: 120 },
  { kind: 'taint', key: 'cloud.google.com/impending-node-termination', severity: 'drain', provider: 'gcp' },
  { kind: 'condition', key: 'Ready', value: 'False', message: 'node is shutting down', severity: 'drain', provider: 'gcp' },
  { kind: 'condition', key: 'PreemptionScheduled', ...AZURE, deadlineFrom: 'message' },
  { kind: 'condition', key: 'VMEventScheduled', ...AZURE, deadlineFrom: 'message' },
  { kind: 'taint', key: 'remediator.kubernetes.azure.com/unschedulable', ...AZURE },
  { kind: 'taint', key: 'remediator.aks.microsoft.com/unschedulable', ...AZURE },
  { kind: 'taint', key: 'cloudprovider.azure.microsoft.com/draining', ...AZURE },
  { kind: 'taint', key: 'ToBeDeletedByClusterAutoscaler', severity: 'drain', leadSeconds: 600 },
  { kind: 'taint', key: 'DeletionCandidateOfClusterAutoscaler', severity: 'hint' },
  {
    kind: 'taint',
    key: 'ignore-taint.cluster-autoscaler.kubernetes.io/oke-impending-node-termination',
    severity: 'drain',
    leadSeconds: 30,
  },
  { kind: 'condition', key: 'GracefulNodeShutdownInProgress', severity: 'drain', leadSeconds: 30 },
  { kind: 'condition', key: 'DrainInProgress', severity: 'drain', leadSeconds: 120 },
  { kind: 'condition', key: 'MaintenancePlanned', severity: 'hint' },
  { kind: 'taint', key: 'node.kubernetes.io/unschedulable', severity: 'hint' },
  { kind: 'taint', key: 'node.kubernetes.io/out-of-service', severity: 'gone' },
  { kind: 'taint', key: 'node.cloudprovider.kubernetes.io/shutdown', severity: 'gone' },
  { kind: 'taint', key: 'node.kubernetes.io/unreachable', severity: 'gone', isSilence: true },
  { kind: 'condition', key: 'Ready', value: 'Unknown', severity: 'gone', isSilence: true },
];

const RANK: Readonly<Record<Severity, number>> = { hint: 0, drain: 1, gone: 2 };

/**
 * The strictest signal of a node, with the earliest deadline that signals of this severity name; null for none.
 *
 * @param sinceMs since when the operator has seen signals of this severity on the node (wall clock): lead times count from there
 */
export function signalOf(node: Node, rows: readonly SignalRow[], sinceMs: number): Signal | null {
  const all = rows.map((row) => matched(node, row, sinceMs)).filter((signal) => signal !== null);
  const rank = Math.max(...all.map(({ severity }) => RANK[severity]));
  const strictest = all.filter(({ severity }) => RANK[severity] === rank);
  const [first] = strictest;
  if (first === undefined) return null;
  const { isSilence: _, ...said } = first;
  const deadlineMs = strictest.map((signal) => signal.deadlineMs).reduce(earlier);
  return { ...said, deadlineMs, ...(strictest.every(({ isSilence }) => isSilence === true) ? { isSilence: true } : {}) };
}

function matched(node: Node, row: SignalRow, sinceMs: number): Signal | null {
  const found = row.kind === 'taint' ? taintIn(node, row) : conditionIn(node, row);
  if (found === null) return null;
  const leadMs = row.leadSeconds === undefined ? null : sinceMs + row.leadSeconds * 1_000;
  const saidMs = row.deadlineFrom === 'message' ? dateIn(found.message) : null;
  const silence = row.isSilence === true ? { isSilence: true } : {};
  return { severity: row.severity, provider: row.provider ?? null, deadlineMs: saidMs ?? leadMs, reason: found.reason, ...silence };
}

interface Found {
  readonly message: string;
  readonly reason: string;
}

function taintIn({ spec }: Node, { key, value }: SignalRow): Found | null {
  const taint = spec?.taints?.find((one) => one.key === key && (value === undefined || one.value === value));
  return taint === undefined ? null : { message: '', reason: `the node has the taint ${key}` };
}

function conditionIn({ status }: Node, { key, value = 'True', message = '' }: SignalRow): Found | null {
  const condition = status?.conditions?.find((one) => one.type === key && one.status === value);
  if (condition === undefined || !(condition.message ?? '').includes(message)) return null;
  return { message: condition.message ?? '', reason: `the node's condition ${key} is ${value}` };
}

/** As Azure writes it: `Preempt Scheduled: Mon, 30 Nov 2026 10:00:00 GMT, …`. */
const DATE = /\b(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|\d{4}-\d{2}-\d{2}T[\d:.]+Z)/;

function dateIn(message: string): number | null {
  const ms = Date.parse(DATE.exec(message)?.[0] ?? '');
  return Number.isNaN(ms) ? null : ms;
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
