import test from 'ava';
import type { Pod } from '../../../../operator/kube/kind.ts';
import { podNotice } from '../../../../operator/rollout/pod-notice.ts';

const AT = '2026-11-30T10:00:00Z';
const NOW = Date.parse(AT);

interface PodFacts {
  readonly disrupted?: 'True' | 'False';
  /** When the pod is to be gone, and how long after its deletion that is. */
  readonly deleted?: readonly [at: string, graceSeconds: number];
  readonly graceSeconds?: number;
}

function pod({ disrupted, deleted, graceSeconds }: PodFacts): Pod {
  const condition = {
    type: 'DisruptionTarget',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: AT,
  };
  const [deletionTimestamp, deletionGracePeriodSeconds] = deleted ?? [];
  return {
    metadata: {
      name: 'w',
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    },
    spec: { containers: [], ...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }) },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }, ...(disrupted === undefined ? [] : [{ ...condition, status: disrupted }])],
    },
  };
}

const TABLE: readonly (readonly [what: string, facts: PodFacts, leaveInSeconds: number | null])[] = [
  ['a pod that is to stay says nothing', { graceSeconds: 600 }, null],
  ['a disruption that was called off is none', { disrupted: 'False', graceSeconds: 600 }, null],
  ['a disruption counts before the deletion, with three quarters of the pod’s grace period', { disrupted: 'True', graceSeconds: 600 }, 450],
  ['a pod that says nothing of its grace period has 30 s', { disrupted: 'True' }, 22.5],
  ['the deletion has the last word', { disrupted: 'True', graceSeconds: 600, deleted: ['2026-11-30T10:00:20Z', 20] }, 15],
  ['a deletion counts without a disruption', { graceSeconds: 600, deleted: ['2026-11-30T10:10:00Z', 600] }, 450],
  ['a deletion that was made shorter counts from its end', { graceSeconds: 600, deleted: ['2026-11-30T10:01:20Z', 20] }, 75],
  ['a deletion without grace is now', { deleted: [AT, 0] }, 0],
];

for (const [what, facts, leaveInSeconds] of TABLE)
  test(what, (t) => {
    const notice = podNotice(pod(facts));
    t.is(notice === null ? null : (notice.deadlineMs - NOW) / 1_000, leaveInSeconds);
  });

test('people are told who ends it', (t) => {
  t.is(podNotice(pod({ disrupted: 'True' }))?.reason, 'the pod is about to be ended: Eviction API: evicting');
  t.is(podNotice(pod({ disrupted: 'True', deleted: [AT, 30] }))?.reason, 'the pod is being deleted: Eviction API: evicting');
  t.is(podNotice(pod({ deleted: [AT, 30] }))?.reason, 'the pod is being deleted');
});

test('a disruption without a time waits for the deletion, which has one', (t) => {
  const conditions = [{ type: 'DisruptionTarget', status: 'True' }];
  t.is(podNotice({ ...pod({}), status: { conditions } }), null);
});
