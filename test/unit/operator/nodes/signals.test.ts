import test from 'ava';
import type { Node } from '../../../../operator/kube/kind.ts';
import { SIGNAL_ROWS, type SignalRow, signalOf } from '../../../../operator/nodes/signals.ts';

const SINCE = Date.parse('2026-11-30T10:00:00Z');

type Taint = { readonly key: string; readonly value?: string };
type Condition = { readonly type: string; readonly status: string; readonly message?: string };

function node(taints: readonly Taint[], conditions: readonly Condition[] = []): Node {
  return {
    metadata: { name: 'n1' },
    spec: { taints: taints.map((taint) => ({ effect: 'NoSchedule', ...taint })) },
    status: { conditions: [{ type: 'Ready', status: 'True' }, ...conditions].filter(isLastOfType) },
  };
}

const isLastOfType = (one: Condition, at: number, all: readonly Condition[]): boolean =>
  all.findLastIndex(({ type }) => type === one.type) === at;

/** A node on which exactly this row is seen. */
function nodeWith({ kind, key, value, message }: SignalRow): Node {
  if (kind === 'taint') return node([{ key, ...(value === undefined ? {} : { value }) }]);
  return node([], [{ type: key, status: value ?? 'True', message: `kubelet says: ${message ?? ''}` }]);
}

for (const row of SIGNAL_ROWS) {
  test(`${row.kind} ${row.key}${row.value === undefined ? '' : `=${row.value}`} means ${row.severity}`, (t) => {
    const signal = signalOf(nodeWith(row), SIGNAL_ROWS, SINCE);
    t.is(signal?.severity, row.severity);
    t.is(signal?.provider, row.provider ?? null);
    t.is(signal?.deadlineMs, row.leadSeconds === undefined ? null : SINCE + row.leadSeconds * 1_000);
    t.true(signal?.reason.includes(row.key));
  });
}

test('a healthy node says nothing, nor does one with taints and conditions that it has for all its life', (t) => {
  t.is(signalOf(node([]), SIGNAL_ROWS, SINCE), null);
  const permanent = [
    { key: 'kubernetes.azure.com/scalesetpriority', value: 'spot' },
    { key: 'cloud.google.com/gke-spot', value: 'true' },
    { key: 'nvidia.com/gpu', value: 'present' },
  ];
  const well = ['MemoryPressure', 'DiskPressure', 'PreemptionScheduled', 'VMEventScheduled'].map((type) => ({ type, status: 'False' }));
  t.is(signalOf(node(permanent, well), SIGNAL_ROWS, SINCE), null);
});

test('a node that is not ready, and not because it shuts down, is not given up by this', (t) => {
  t.is(signalOf(node([], [{ type: 'Ready', status: 'False', message: 'container runtime is down' }]), SIGNAL_ROWS, SINCE), null);
});

test('the strictest signal counts, with the earliest deadline of its kind', (t) => {
  const both = node([
    { key: 'ToBeDeletedByClusterAutoscaler' },
    { key: 'karpenter.sh/disrupted' },
    { key: 'node.kubernetes.io/unschedulable' },
  ]);
  t.like(signalOf(both, SIGNAL_ROWS, SINCE), { severity: 'drain', deadlineMs: SINCE + 120_000 });
  t.is(
    signalOf(node([{ key: 'node.kubernetes.io/unreachable' }, { key: 'karpenter.sh/disrupted' }]), SIGNAL_ROWS, SINCE)?.severity,
    'gone',
  );
});

test('the deadline is read where the source gives one', (t) => {
  const message = 'Preempt Scheduled: Mon, 30 Nov 2026 10:00:45 GMT. DurationInSeconds: -1, EventId: 1';
  const seen = signalOf(node([], [{ type: 'PreemptionScheduled', status: 'True', message }]), SIGNAL_ROWS, SINCE);
  t.like(seen, { severity: 'drain', provider: 'azure', deadlineMs: SINCE + 45_000 });
});

test("a user's row is one like the others", (t) => {
  const row: SignalRow = { kind: 'taint', key: 'example.com/going', severity: 'drain', leadSeconds: 90 };
  t.is(signalOf(node([{ key: 'example.com/going' }]), SIGNAL_ROWS, SINCE), null);
  t.like(signalOf(node([{ key: 'example.com/going' }]), [row, ...SIGNAL_ROWS], SINCE), { severity: 'drain', deadlineMs: SINCE + 90_000 });
});

test('only what Kubernetes concludes from silence is silence, and not beside one who says that the node is gone', (t) => {
  t.deepEqual(
    SIGNAL_ROWS.filter((row) => signalOf(nodeWith(row), SIGNAL_ROWS, SINCE)?.isSilence === true).map(({ key }) => key),
    ['node.kubernetes.io/unreachable', 'Ready'],
  );
  const unreachable = { key: 'node.kubernetes.io/unreachable' };
  const unknown = { type: 'Ready', status: 'Unknown' };
  t.true(signalOf(node([unreachable], [unknown]), SIGNAL_ROWS, SINCE)?.isSilence);
  t.is(signalOf(node([unreachable, { key: 'node.kubernetes.io/out-of-service' }], [unknown]), SIGNAL_ROWS, SINCE)?.isSilence, undefined);
});
