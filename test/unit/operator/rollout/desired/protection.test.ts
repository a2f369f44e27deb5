import test from 'ava';
import { coordinatorDeployment } from '../../../../../operator/rollout/desired/coordinator.ts';
import { coordinatorBudget, coordinatorPolicy } from '../../../../../operator/rollout/desired/protection.ts';
import { workerPod } from '../../../../../operator/rollout/desired/worker-pod.ts';
import { PODS, runOf } from '../../../../support/operator/run-world.ts';

const coordinatorLabels = coordinatorDeployment(runOf(), 'digest', null, PODS).spec?.template.metadata?.labels ?? {};
const workerLabels = workerPod(runOf(), { slot: 0, incarnation: 0 }, [], PODS).metadata.labels ?? {};

function selects(
  selector: { readonly matchLabels?: Readonly<Record<string, string>> } | undefined,
  labels: Readonly<Record<string, string>>,
) {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

test('a drain of nodes takes one coordinator at a time, and is never kept from a lone one', (t) => {
  const { spec } = coordinatorBudget(runOf());
  t.is(spec?.maxUnavailable, 1);
  t.true(selects(spec?.selector, coordinatorLabels));
  t.false(selects(spec?.selector, workerLabels), 'workers leave in their own order');
});

test('only the pods of the run and the operator reach a coordinator, at its two ports', (t) => {
  const { spec } = coordinatorPolicy(runOf(), 'rollout-system');
  t.deepEqual(spec?.policyTypes, ['Ingress']);
  t.true(selects(spec?.podSelector, coordinatorLabels));
  t.false(selects(spec?.podSelector, workerLabels));
  const [rule, ...others] = (spec?.ingress ?? []) as unknown as readonly [
    {
      readonly from: readonly {
        readonly podSelector?: { readonly matchLabels: Record<string, string> };
        readonly namespaceSelector?: object;
      }[];
      readonly ports: readonly { readonly port: number }[];
    },
  ];
  t.deepEqual(others, []);
  t.deepEqual(
    rule.ports.map(({ port }) => port),
    [50_051, 9_464],
  );
  const [own, operator] = rule.from;
  t.is(own?.namespaceSelector, undefined, 'of this namespace');
  t.true(selects(own?.podSelector, workerLabels));
  t.false(selects(own?.podSelector, { ...workerLabels, 'rollout.run/run': 'other' }));
  t.deepEqual(operator?.namespaceSelector, { matchLabels: { 'kubernetes.io/metadata.name': 'rollout-system' } });
});
