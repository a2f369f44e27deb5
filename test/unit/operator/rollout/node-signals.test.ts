import test from 'ava';
import type { Node } from '../../../../operator/kube/kind.ts';
import type { Change } from '../../../../operator/kube/store.ts';
import { SIGNAL_ROWS } from '../../../../operator/nodes/signals.ts';
import { NodeSignals } from '../../../../operator/rollout/node-signals.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const CORDONED = 'node.kubernetes.io/unschedulable';
const GOING = 'ToBeDeletedByClusterAutoscaler';
const LEAD_MS = 600_000;

function node(...taints: readonly string[]): Node {
  return { metadata: { name: 'n1' }, spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) } };
}

const seen = (object: Node): Change<Node> => ({ kind: 'updated', before: object, object, isResync: false });
const gone = (object: Node): Change<Node> => ({ kind: 'deleted', object, isAssumed: false });

function stage(): { readonly clock: ManualClock; readonly signals: NodeSignals } {
  const clock = new ManualClock();
  return { clock, signals: new NodeSignals(SIGNAL_ROWS, clock) };
}

test('a signal is news once, and its withdrawal is news as well', (t) => {
  const { signals } = stage();
  t.false(signals.onChange({ kind: 'added', object: node(), isInitial: true }));
  t.true(signals.onChange(seen(node(GOING))));
  t.is(signals.now().get('n1')?.severity, 'drain');
  t.false(signals.onChange(seen(node(GOING))));
  t.true(signals.onChange(seen(node())));
  t.is(signals.now().size, 0);
});

test('a deadline stands while the signal does, however late the node changes otherwise', (t) => {
  const { clock, signals } = stage();
  signals.onChange(seen(node(GOING)));
  const deadlineMs = clock.wallMs() + LEAD_MS;
  clock.jump(60_000);
  t.false(signals.onChange(seen(node(GOING, CORDONED))), 'what is less strict says nothing new');
  t.is(signals.now().get('n1')?.deadlineMs, deadlineMs);
});

test('a node that was cordoned for long has the whole lead time when it is announced to go, and again after a withdrawal', (t) => {
  const { clock, signals } = stage();
  t.true(signals.onChange(seen(node(CORDONED))));
  clock.jump(2 * LEAD_MS);
  t.true(signals.onChange(seen(node(CORDONED, GOING))));
  t.is(signals.now().get('n1')?.deadlineMs, clock.wallMs() + LEAD_MS);
  signals.onChange(seen(node()));
  clock.jump(LEAD_MS);
  signals.onChange(seen(node(GOING)));
  t.is(signals.now().get('n1')?.deadlineMs, clock.wallMs() + LEAD_MS);
});

test('a deleted node is gone, until one of its name is there again', (t) => {
  const { signals } = stage();
  t.true(signals.onChange(gone(node())));
  t.is(signals.now().get('n1')?.severity, 'gone');
  t.true(signals.onChange({ kind: 'added', object: node(), isInitial: false }));
  t.is(signals.now().size, 0);
});

test('a node that is gone is forgotten after an hour: clusters with spot machines have thousands of them', (t) => {
  const { clock, signals } = stage();
  signals.onChange(gone(node()));
  clock.jump(3_600_001);
  signals.onChange(seen({ metadata: { name: 'n2' } }));
  t.is(signals.now().size, 0);
});
